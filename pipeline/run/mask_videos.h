// Mask videos, read as inputs are.
#pragma once

#include <memory>

#include "pipeline/base/notice.h"
#include "pipeline/region/mask_video.h"
#include "pipeline/source/source.h"

namespace vidconv {

// `input`: how the frames are read that are filtered; of it count the limit of pixels, threads and
// the timeout. `notify` hears once of each mask that ends before those do.
std::shared_ptr<MaskVideos> make_mask_videos(const SourceOptions& input, const Notify& notify);

}  // namespace vidconv
