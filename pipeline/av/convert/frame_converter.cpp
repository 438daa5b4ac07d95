#include "pipeline/av/convert/frame_converter.h"

#include <algorithm>
#include <string>
#include <utility>

extern "C" {
#include <libswscale/swscale.h>
}

#include "pipeline/av/frame_layout.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

bool has(const PixelFormat& format, Component::Kind kind) {
  return std::ranges::any_of(format.components,
                             [kind](const Component& c) { return c.kind == kind; });
}

[[noreturn]] void refuse(const VideoInfo& video, const PixelFormat& to, const std::string& why) {
  throw Error(Fault::usage, "cannot convert frames", video.format->name + " to " + to.name, why,
              "leave out `pixel_format`, and take them as they are");
}

}  // namespace

FrameConverter::FrameConverter(const VideoInfo& video, const PixelFormat& to, int threads)
    : from_(video), to_(video) {
  const bool from_rgb = has(*video.format, Component::Kind::colour);
  const bool to_rgb = has(to, Component::Kind::colour), makes = ColourConverter::makes(to);
  const AVColorSpace matrix = known_matrix(video.matrix, video.height);
  to_.format = &to;
  to_.swapped = false;
  if (&to == video.format && (!makes || !is_limited_range(video))) {
    as_they_are_ = true;
    return;
  }
  if (makes) {
    if (has(*video.format, Component::Kind::chroma) && to_rgb && !can_convert(matrix))
      refuse(video, to,
             std::string("there is no way from the matrix ") + av_color_space_name(matrix));
    colours_.emplace(video, to, threads);
    to_.range = AVCOL_RANGE_JPEG;
    to_.matrix = to_rgb ? AVCOL_SPC_RGB : from_rgb ? AVCOL_SPC_UNSPECIFIED : video.matrix;
    to_.chroma_location = AVCHROMA_LOC_UNSPECIFIED;
    return;
  }
  if (!sws_isSupportedInput(video.format->id) || !sws_isSupportedOutput(to.id))
    refuse(video, to, "FFmpeg has no way from one to the other");
  converter_.emplace(to, AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_UNSPECIFIED, plain_memory);
  converter_->place_chroma();
  if (!from_rgb) return;
  to_.matrix = matrix;
  to_.range = AVCOL_RANGE_MPEG;
}

Frame FrameConverter::convert(const Frame& from) {
  if (as_they_are_) return from.share();
  FramePtr converted = colours_ ? in_colours(from) : by_swscale(from);
  converted->color_range = to_.range;
  converted->colorspace = to_.matrix;
  converted->chroma_location = to_.chroma_location;
  return Frame(std::move(converted), from);
}

FramePtr FrameConverter::in_colours(const Frame& from) {
  if (!pool_ || pool_->layout().width != from.width() || pool_->layout().height != from.height())
    pool_.emplace(aligned_layout(*to_.format, from.width(), from.height(), plain_memory.rows),
                  plain_memory);
  FramePtr made = pool_->get();
  copy_properties(from.av(), *made);
  Frame frame(std::move(made), from);
  colours_->convert(from, frame);
  return frame.release();
}

FramePtr FrameConverter::by_swscale(const Frame& from) {
  AVFrame described = from.av();  // the memory stays the frame's
  if (described.color_range == AVCOL_RANGE_UNSPECIFIED) described.color_range = from_.range;
  if (described.colorspace == AVCOL_SPC_UNSPECIFIED) described.colorspace = from_.matrix;
  if (described.chroma_location == AVCHROMA_LOC_UNSPECIFIED)
    described.chroma_location = from_.chroma_location;
  return converter_->convert(described);
}

}  // namespace vidconv
