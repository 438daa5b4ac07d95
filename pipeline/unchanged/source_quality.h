// Reads from coded pictures with which quality they were encoded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

// Returns the mean quantiser of these packets, which begin with a key packet of `stream`, on the
// scale of its encoder's constant quality: crf of libx264 and libvpx, qscale of FFmpeg's own
// encoders. None where the codec or its decoder does not tell.
std::optional<double> quality_of(const std::vector<PacketPtr>& packets,
                                 const AVCodecParameters& stream);

}  // namespace vidconv
