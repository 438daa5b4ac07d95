// ResumeRun: what run.json says of the run whose shards are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/options/options.h"

namespace vidconv {

// How far the run has come, beside its shards.
struct ResumeState {
  struct Named {  // a file that was about to get the output's name
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    bool damaged = false;
  };
  bool in_order = false;  // the input is damaged, so that it is read in order of time
  std::string quality;    // as --target has found it, in the encoder's words; empty: none yet
  std::optional<Named> named;
};

struct ResumeRun {
  std::string key, version, libraries, input, identity, output;
  std::vector<std::string> options, command;

  // Throws Error(input_missing), or Error(resume) for an input of which nobody can tell later
  // whether it is the same.
  static ResumeRun of(const Options& options);
  // Reads the text of run.json. Throws std::exception where it makes no sense.
  static ResumeRun parse(const std::string& text);
  static ResumeState parse_state(const std::string& text);
  // Returns the text of run.json.
  std::string json(const ResumeState& state) const;

  // Returns why what `kept` has made is not for this run.
  std::string difference(const ResumeRun& kept) const;
};

}  // namespace vidconv
