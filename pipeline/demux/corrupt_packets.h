// Marks counts packets that a container calls damaged. Transport streams mark packets that do not
// follow a packet counter, which begins anew where recordings or segments were joined: the times
// tell whether something is missing there.
#pragma once

#include <cstdint>
#include <map>

#include "pipeline/demux/discontinuities.h"

namespace vidconv {

class Marks {
 public:
  // `doubted`: a mark may mean nothing; otherwise all marks count.
  explicit Marks(bool doubted = false) : doubted_(doubted) {}

  // Takes the next packet of a stream, and how its time follows that of the one before. `broken`:
  // the container has said more than a counter tells. Returns how many packets of that stream, this
  // one and earlier ones, are now known to be damaged.
  std::int64_t take(int stream, bool marked, Follows follows, bool broken);
  // Returns the packets, by stream, that count and that were not known to until the last packet.
  std::map<int, std::int64_t> rest();

 private:
  struct Waiting {
    std::int64_t marked = 0;  // packets
    int since = 0;            // packets without a mark
  };

  const bool doubted_;
  int broken_ = 0;  // packets for which `broken` is remembered
  std::map<int, Waiting> waiting_;
};

}  // namespace vidconv
