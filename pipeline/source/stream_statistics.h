// StreamStatistics counts what became of the packets of a container, stream by stream.
#pragma once

#include <deque>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/source/source.h"

namespace vidconv {

class StreamStatistics {
 public:
  // `filtered`: the stream that is decoded. Both arguments outlive this object.
  StreamStatistics(const AVFormatContext& container, const AVStream& filtered);

  // Returns a stream's statistics. Containers may find streams on the way.
  PacketStatistics& of(int stream);
  PacketStatistics& filtered() { return of(filtered_.index); }
  // Counts an item that goes on to whoever asked for it.
  void hand_on(const Item& item);
  // Returns the statistics so far, with the items in `waiting` not being wanted any more.
  std::vector<PacketStatistics> without(const std::deque<Item>& waiting) const;

 private:
  const AVFormatContext& container_;
  const AVStream& filtered_;
  std::vector<PacketStatistics> accounts_;  // by index of the stream
};

}  // namespace vidconv
