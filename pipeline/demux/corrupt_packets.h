// Marks: packets that a container calls damaged. Transport streams mark what a counter of packets
// does not lead to, which begins anew where recordings or segments were joined: the times tell
// whether something is missing there.
#pragma once

#include <cstdint>
#include <map>

#include "pipeline/demux/discontinuities.h"

namespace vidconv {

class Marks {
 public:
  // `doubted`: a mark may mean nothing; else all count.
  explicit Marks(bool doubted = false) : doubted_(doubted) {}

  // The next packet of a stream, and how its time follows that of the one before. `broken`: the
  // container has said more than a counter tells. Returns how many packets of that stream, this one
  // and earlier ones, are now known to be damaged.
  std::int64_t take(int stream, bool marked, Follows follows, bool broken);
  // After the last packet: those, by stream, of which it was not known yet, and which count.
  std::map<int, std::int64_t> rest();

 private:
  struct Waiting {
    std::int64_t marked = 0;  // packets
    int since = 0;            // packets without a mark
  };

  const bool doubted_;
  int broken_ = 0;  // packets for which that is remembered
  std::map<int, Waiting> waiting_;
};

}  // namespace vidconv
