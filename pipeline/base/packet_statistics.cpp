#include "pipeline/base/packet_statistics.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace vidconv {
namespace {

using Parts = std::initializer_list<std::pair<const char*, std::int64_t>>;

// Returns "12 packets were read, but 10 decoded + 1 refused"; empty where it adds up.
std::string compare(const char* what, std::int64_t whole, Parts parts) {
  std::int64_t sum = 0;
  std::string text;
  for (const auto& [name, count] : parts) {
    sum += count;
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count, name);
  }
  return sum == whole ? "" : fmt::format("{} {}, but {}", whole, what, text);
}

}  // namespace

void add_counts(PacketStatistics& to, const PacketStatistics& other) {
  to.read += other.read;
  to.outside += other.outside;
  to.unused += other.unused;
  to.handed_on += other.handed_on;
  to.marked += other.marked;
  to.decoded += other.decoded;
  to.failed += other.failed;
  to.hidden += other.hidden;
  to.without_picture += other.without_picture;
  to.refused += other.refused;
  to.frames += other.frames;
  to.frames_outside += other.frames_outside;
  to.frames_between += other.frames_between;
  to.frames_unused += other.frames_unused;
  to.frames_handed_on += other.frames_handed_on;
}

std::string imbalance(const PacketStatistics& a, const CopyStatistics* copies) {
  std::string wrong;
  const auto check = [&](const char* what, std::int64_t whole, Parts parts) {
    if (wrong.empty()) wrong = compare(what, whole, parts);
  };
  if (a.filtered) {
    check("packets were read", a.read,
          {{"decoded", a.decoded}, {"refused", a.refused}, {"outside of the part", a.outside}});
    check("frames came", a.frames,
          {{"handed on", a.frames_handed_on},
           {"outside of the part", a.frames_outside},
           {"between", a.frames_between},
           {"unused", a.frames_unused}});
  } else {
    check("packets were read", a.read,
          {{"handed on", a.handed_on}, {"outside of the part", a.outside}, {"unused", a.unused}});
    const CopyStatistics none;
    const CopyStatistics& c = copies ? *copies : none;
    check("packets were handed on", a.handed_on,
          {{"copied", c.copied},
           {"left out", c.left_out},
           {"empty", c.empty},
           {"decoded", c.decoded},
           {"refused", c.refused}});
  }
  if (wrong.empty()) return wrong;
  return fmt::format("stream #{} ({}): {}", a.stream, a.type, wrong);
}

}  // namespace vidconv
