// Declares the options: their names, values and purpose, one line each in option_lines.cpp.
// Parsing, help, manual page and completions are all made from these lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

// Words as typed on the command line, not yet parsed.
struct OptionWords {
  std::vector<std::string> kernels, encoder_options, muxer_options, input_options;
  std::string border = "reflect101", start, at, duration, progress = "auto", range, compare, video;
  std::string device = "auto", decoder = "auto", variant, scan, regions, orientation;
  // Numbers stay words, because CLI11 would accept "0x10" and print limits with 309 digits.
  std::string max_pixels = std::to_string(default_max_pixels);
  std::string frames, timeout, latency, crf, threads, slots, shards, jobs, benchmark, verify,
      measure, target;
  std::string list_kernels, list_formats, completions, skip_done;
  bool list_variants = false, list_devices = false, manual = false;
};

// Declares all options to `app`, which writes the values into `o` and `w`; both outlive it.
void declare_options(CLI::App& app, Options& o, OptionWords& w);

}  // namespace vidconv
