// PacketIndex: what is known of all packets of a video without decoding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/unchanged/key_packets.h"

namespace vidconv {

struct IndexedPacket {
  std::int64_t shown = 0, duration = 0;  // ticks
  int size = 0;                          // bytes
  KeyPacket key = KeyPacket::none;
};

// A packet before which a video can be cut.
struct PacketCut {
  std::size_t place = 0;
  bool enters = true;  // it may come behind another stream than its own
  // So many packets behind it are shown before it, and need pictures before it.
  std::size_t leading = 0;
};

class PacketIndex {
 public:
  explicit PacketIndex(const AVCodecParameters& video);

  // In order of decoding. `shown` is when the packet's frame is shown.
  void see(const AVPacket& packet, std::int64_t shown);

  const std::vector<IndexedPacket>& packets() const { return packets_; }
  // Returns the first packet with which decoding can begin; null where there is none.
  const AVPacket* first_key() const { return first_key_.get(); }
  // Says, for people, why packets cannot be copied one by one; empty where they can.
  const std::string& obstacle() const { return obstacle_; }
  // Returns where the video can be cut: what is before is decoded and shown without what is behind,
  // and the other way but for leading packets. Rising, from 0 on.
  std::vector<PacketCut> cuts() const;
  // Returns how many places a packet comes before the order in which frames are shown, at most.
  int delay() const;
  // Returns the numbers of the parameter sets within packets, of every kind.
  const std::set<unsigned>& parameter_sets() const { return parameter_sets_; }

 private:
  void note_units(const AVPacket& packet);
  // Counts the packets behind this one that are shown before it.
  std::size_t leading(std::size_t place) const;

  const AVCodecID codec_;
  const int nal_lengths_;
  const bool has_sets_;  // the container has the parameter sets
  std::vector<IndexedPacket> packets_;
  PacketPtr first_key_;
  std::string obstacle_;
  std::string header_;  // the first that a packet has
  std::set<unsigned> parameter_sets_;
};

}  // namespace vidconv
