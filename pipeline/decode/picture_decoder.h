// Pictures that kernels are drawn in, in formats that FFmpeg knows.
#pragma once

#include <string_view>

#include "kernels/spec/grey_picture.h"

namespace vidconv {

// The levels of a JPEG, TIFF, BMP or WebP picture, as stored: no gamma is applied. Throws
// std::runtime_error: damaged, too large, not grey, not opaque, no decoder in this FFmpeg. Where
// pictures are coded with loss, red, green and blue may differ by a few levels.
GreyPicture decode_grey_picture(std::string_view bytes, const GreyLimits& limits);

}  // namespace vidconv
