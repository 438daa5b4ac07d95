// Defines the words of a YUV4MPEG2 header, for its reader and its writer.
#pragma once

#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

struct Y4mChroma {
  std::string_view tag;  // after the C
  AVPixelFormat format;
  AVChromaLocation location;
};

// Returns nullptr where the tag is unknown. Every format is in the table of formats.
const Y4mChroma* find_y4m_chroma(std::string_view tag);
// Returns the tag for a format; nullptr where y4m has none.
const Y4mChroma* find_y4m_chroma(AVPixelFormat format, AVChromaLocation location);

// Convert between the letter after the I and a field order. Mixed and unknown streams count as
// unknown.
AVFieldOrder y4m_field_order(std::string_view letter);
char y4m_interlacing(AVFieldOrder order);

}  // namespace vidconv
