// Finds where an input ends by its own bytes: outermost boxes say how long they are, or a mark
// closes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vidconv {

// The bytes of an input that was read to its end.
struct InputBytes {
  std::string beginning;  // as many as were kept
  std::int64_t length = 0;
  int last = -1;  // the last byte, if it is known
};

// Bytes that are kept of the beginning: as many as a header needs.
constexpr std::size_t kept_beginning = 64 << 10;

struct FileEnding {
  bool known = false;   // the bytes tell
  std::string missing;  // for people; empty if nothing is missing
};
// Returns whether an input ends as it should. `format`: the demuxer, by FFmpeg's name.
FileEnding judge_ending(std::string_view format, const InputBytes& bytes);

// Returns whether a file is whole although the demuxer calls its end an error. `last`: some of its
// last bytes; `behind_packets`: how many are behind the last packet, by its place and size.
bool may_end_with(std::string_view format, std::string_view last, std::int64_t behind_packets);

// Returns VideoInfo::loops of an animation; none for anything else.
std::optional<int> loops_of(std::string_view format, std::string_view beginning);

}  // namespace vidconv
