// The options: names, what they take, what they are for. A line each in option_lines.cpp, of which
// parsing, help, manual page and completions are made.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

// Words as typed on the command line, before they mean anything.
struct OptionWords {
  std::vector<std::string> kernels, encoder_options, muxer_options, input_options;
  std::string border = "reflect101", start, at, duration, progress = "auto", range, compare, video;
  std::string device = "auto", decoder = "auto", variant, scan, regions, regions_default,
              orientation;
  // Numbers: CLI11 would take "0x10" for one, and print its limits with 309 digits.
  std::string max_pixels = std::to_string(default_max_pixels);
  std::string frames, timeout, latency, crf, threads, slots, shards, jobs, benchmark, verify,
      measure, target;
  std::string list_kernels, list_formats, completions, skip_done;
  bool list_variants = false, list_devices = false, manual = false;
};

// Declares all of them to `app`, which writes what it reads into the other two; they outlive it.
void declare_options(CLI::App& app, Options& o, OptionWords& w);

}  // namespace vidconv
