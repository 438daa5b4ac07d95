#include "pipeline/av/video.h"

namespace vidconv {

bool is_limited_range(const VideoInfo& video) {
  if (video.range != AVCOL_RANGE_UNSPECIFIED) return video.range == AVCOL_RANGE_MPEG;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(video.format->id);
  return !(format->flags & AV_PIX_FMT_FLAG_RGB) && format->nb_components > 2;
}

}  // namespace vidconv
