#include "pipeline/demux/corrupt_packets.h"

#include <algorithm>

namespace vidconv {
namespace {

// Parsers hand on a picture when the next one begins, so a mark may be on the one before.
constexpr int settled_after = 2;
// Packets from the container's complaint until its packet has come through the parser.
constexpr int remembered = 32;

}  // namespace

std::int64_t Marks::take(int stream, bool marked, Follows follows, bool broken) {
  broken_ = broken ? remembered : std::max(0, broken_ - 1);
  if (marked && !doubted_) return 1;
  const auto it = waiting_.find(stream);
  if (!marked && it == waiting_.end()) return 0;
  Waiting& waiting = it == waiting_.end() ? waiting_[stream] : it->second;
  if (follows == Follows::anew) waiting = {};
  waiting.marked += marked;
  waiting.since = marked ? 0 : waiting.since + 1;
  const bool missing = follows == Follows::late || broken_ > 0;
  const std::int64_t known = missing ? waiting.marked : 0;
  if (missing || waiting.marked == 0 || waiting.since >= settled_after) waiting_.erase(stream);
  return known;
}

std::map<int, std::int64_t> Marks::rest() {
  std::map<int, std::int64_t> rest;
  for (const auto& [stream, waiting] : waiting_) rest[stream] = waiting.marked;
  waiting_.clear();
  return rest;
}

}  // namespace vidconv
