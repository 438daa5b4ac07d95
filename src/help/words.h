// Texts that --help and the manual page share.
#pragma once

#include <span>
#include <string_view>

namespace vidconv {

inline constexpr std::string_view purpose =
    "Filter video with convolution kernels, as fast as the machine can move frames.";
inline constexpr std::string_view synopsis =
    "vidconv INPUT... -o OUTPUT --kernel SPEC [--kernel SPEC ...] [options]";

struct Example {
  std::string_view command, what;
};
std::span<const Example> examples();

// Several outputs of one input: a paragraph each.
std::span<const std::string_view> several_outputs();

// How a run goes on that was ended: a paragraph each.
std::span<const std::string_view> resuming();

// How stretches are copied and only the rest is encoded: a paragraph each.
std::span<const std::string_view> keeping();

// A video in parts on many hosts: a paragraph each.
std::span<const std::string_view> many_hosts();

// Describes the times of frames, and what counts as damage; one paragraph each.
std::span<const std::string_view> times();

// Describes how several inputs are filtered in one run; one paragraph each.
std::span<const std::string_view> batches();

// Describes which files and servers an input opens, and what is shown of it; one paragraph each.
std::span<const std::string_view> trust();

struct ExitCode {
  int code;
  std::string_view meaning;
};
std::span<const ExitCode> exit_codes();

}  // namespace vidconv
