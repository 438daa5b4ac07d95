// Where a coded stream may be cut so that its parts can be decoded side by side.
#pragma once

#include <cstdint>

#include "pipeline/av/av.h"

namespace vidconv {

// Whether a part may begin with this packet, and what of the stream before is needed after it.
enum class Cut : std::uint8_t {
  no,
  // Nothing that follows refers to what came before.
  clean,
  // Packets that follow at once may: those of frames shown before this one. They are decoded with
  // the part before, which gets a copy of this packet for them. HEVC only.
  open,
};
// `parameters`: how the NAL units of H.264 and HEVC lie in the packet.
Cut cut_at(const AVPacket& packet, const AVCodecParameters& parameters);

// Whether a decoder may be given one part after another without a restart between them, as if the
// second followed the first in the stream. libavcodec sets the device's decoders of these codecs up
// anew after each restart: some 70 ms on an H200.
bool can_join(AVCodecID codec);

// Makes a packet of Cut::open one that a decoder may take after any other: it drops what refers to
// the time before. HEVC, C.4.2 and 8.1.3: the NAL units of a CRA picture become those of a BLA
// picture. Throws Error(memory).
void begin_with(AVPacket& packet, const AVCodecParameters& parameters);

}  // namespace vidconv
