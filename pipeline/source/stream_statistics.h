// StreamStatistics: what became of what a container held, stream by stream.
#pragma once

#include <deque>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/source/source.h"

namespace vidconv {

class StreamStatistics {
 public:
  // `filtered`: the stream that is decoded. Both outlive this object.
  StreamStatistics(const AVFormatContext& container, const AVStream& filtered);

  // Containers may find streams on the way.
  PacketStatistics& of(int stream);
  PacketStatistics& filtered() { return of(filtered_.index); }
  // The item goes on to whoever asked for it.
  void hand_on(const Item& item);
  // So far, the items in `waiting` not being wanted any more.
  std::vector<PacketStatistics> without(const std::deque<Item>& waiting) const;

 private:
  const AVFormatContext& container_;
  const AVStream& filtered_;
  std::vector<PacketStatistics> accounts_;  // by index of the stream
};

}  // namespace vidconv
