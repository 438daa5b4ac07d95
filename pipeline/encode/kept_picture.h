// Finds out what an encoder has taken and does not keep, as the decoder of its first packet shows
// it.
#pragma once

#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Whether a format has anything that an encoder could take and drop: transparency, more than 8 bits
// or more chroma than 4:2:0.
bool may_lose(AVPixelFormat coded);

// For people, "transparency, 10 bits a sample as 8"; empty where nothing is lost, and where there
// is no decoder that tells. `made` describes the stream, `packet` is its first.
std::string not_kept(const AVCodecParameters& made, const AVPacket& packet, AVPixelFormat coded);

}  // namespace vidconv
