#include "pipeline/source/picture_fitter.h"

#include <fmt/format.h>

#include <utility>

namespace vidconv {

FramePtr PictureFitter::fit(FramePtr frame, std::int64_t number, bool on_device) {
  if (frame->width == first_.width && frame->height == first_.height &&
      frame->format == first_.format->id)
    return frame;
  if (on_device)
    throw Error(Fault::device, "cannot scale on the device", "",
                "the picture changes in the middle of the stream", "use `decoder` cpu");
  if (!converter_) {
    const auto picture = [](int width, int height, const char* format) {
      return fmt::format("{}x{} {}", width, height, format);
    };
    const auto changed = static_cast<AVPixelFormat>(frame->format);
    notify(notify_, MessageKind::picture_changes,
           fmt::format("the picture changes at frame {} from {} to {}: scaled to the first", number,
                       picture(first_.width, first_.height, first_.format->name.c_str()),
                       picture(frame->width, frame->height, av_get_pix_fmt_name(changed))));
    converter_.emplace(*first_.format, first_.range, first_.matrix, memory_);
    converter_->scale_to(first_.width, first_.height);
  }
  return converter_->convert(*frame);
}

}  // namespace vidconv
