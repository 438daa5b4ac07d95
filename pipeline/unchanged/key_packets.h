// Finds the packets of a video with which decoding can begin anew.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

enum class KeyPacket : std::uint8_t {
  none,
  // Pictures that follow it, but are shown before it, may need pictures before it.
  open,
  // Pictures that follow it may need pictures before it, and it is counted on from those: behind
  // others it would be shown at another place.
  counted,
  // Nothing that follows needs anything before it.
  closed,
};

// Returns whether packets of such a codec are told apart here.
bool tells_keys(AVCodecID codec);

// `nal_lengths` as nal_length_size() says. A key packet of MPEG-2 and AV1 has the headers that its
// decoder needs, and one of H.265 unless the container `has_sets`; H.264 may have them there alone.
KeyPacket key_packet(const AVPacket& packet, AVCodecID codec, int nal_lengths, bool has_sets);

// Returns what a packet says of the stream: parameter sets and the like, as far as pictures of
// another size or kind would make them others; empty where it says nothing.
std::string header_in(const AVPacket& packet, AVCodecID codec, int nal_lengths);

}  // namespace vidconv
