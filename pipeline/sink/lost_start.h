// Names the time at which a video begins where an output has no place for it.
#pragma once

#include <string_view>

#include "pipeline/av/av.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Returns whether a file can say that its pictures begin at another time than 0.
bool holds_start(const AVOutputFormat& container);

// Reports that the first picture's time is lost, unless it is 0.
void name_lost_start(std::string_view holder, double seconds, const Notify& lose);

}  // namespace vidconv
