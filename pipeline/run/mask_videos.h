// Reads mask videos like other inputs.
#pragma once

#include <memory>

#include "pipeline/base/notice.h"
#include "pipeline/region/mask_video.h"
#include "pipeline/source/source.h"

namespace vidconv {

// `input` is how the filtered frames are read; masks use its limit of pixels, threads and timeout.
// `notify` hears once of each mask that ends before the frames do.
std::shared_ptr<MaskVideos> make_mask_videos(const SourceOptions& input, const Notify& notify);

}  // namespace vidconv
