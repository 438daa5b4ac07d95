// Reads and joins the parameter sets of H.264 and H.265, as containers keep them beside packets.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/decode/nal_units.h"

namespace vidconv {

// Adds the numbers of the parameter sets among these units, of every kind.
void add_parameter_sets(CodedBytes units, AVCodecID codec, int nal_lengths,
                        std::set<unsigned>& numbers);

// Returns the same of what the container keeps beside the packets. Throws Error(output) where it
// makes no sense.
std::set<unsigned> parameter_sets_in(const AVCodecParameters& video);

// Returns the header of `video` with these parameter sets as well, which are units of an encoder of
// the same codec. Throws Error(output) where there is no room.
std::string header_with(const AVCodecParameters& video, const std::vector<std::string>& sets);

}  // namespace vidconv
