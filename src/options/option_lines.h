// Declares the options: their names, values and purpose, one line each in option_lines.cpp.
// Parsing, help, manual page and completions are all made from these lines.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

// The words of one setting as typed: of a switch, of one value, of many.
struct SettingWords {
  bool given = false;
  std::string value;
  std::vector<std::string> values;
};

// Words as typed on the command line, before they mean anything.
struct OptionWords {
  std::vector<SettingWords> settings{vidconv::settings().size()};  // in the order of the table
  std::string at, progress = "auto", benchmark;
  std::string list_kernels, list_formats, list_resumable, completions, skip_done, resume;
  bool list_variants = false, list_devices = false, manual = false;

  // The settings that were given to `app`, but for the inputs.
  SettingValues values(const CLI::App& app) const;
  const std::vector<std::string>& inputs() const { return settings.front().values; }
};

// Declares all options to `app`, which writes the values into `o` and `w`; both outlive it.
void declare_options(CLI::App& app, Options& o, OptionWords& w);

// Returns the words behind the program's name in the order in which CLI11 takes a vector, the last
// one first. An option whose value was left out has its default: it must not take the next word.
std::vector<std::string> words_with_defaults(int argc, const char* const* argv);

}  // namespace vidconv
