// Finds where a coded stream may be cut into segments that can be decoded side by side.
#pragma once

#include <cstdint>

#include "pipeline/av/av.h"

namespace vidconv {

// Says whether a segment may begin with a packet, and what it needs of the stream before.
enum class Cut : std::uint8_t {
  no,
  // Nothing that follows refers to earlier packets.
  clean,
  // Packets that follow at once may refer to earlier ones: those of frames shown before this one.
  // They are decoded with the segment before, which gets a copy of this packet for them. HEVC only.
  open,
};
// Returns how to cut. `parameters`: how the NAL units of H.264 and HEVC lie in the packet.
Cut cut_at(const AVPacket& packet, const AVCodecParameters& parameters);

// Returns whether a decoder may be given one segment after another without a restart, as if the
// second followed the first in the stream. For these codecs, libavcodec sets the device's decoder
// up anew after each restart: some 70 ms on an H200.
bool can_join(AVCodecID codec);

// Changes a packet of Cut::open so that a decoder may take it after any other, and drops what
// refers to earlier packets. HEVC, C.4.2 and 8.1.3: the NAL units of a CRA picture become those of
// a BLA picture. Throws Error(memory).
void begin_with(AVPacket& packet, const AVCodecParameters& parameters);

}  // namespace vidconv
