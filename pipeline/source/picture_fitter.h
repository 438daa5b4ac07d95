// PictureFitter converts pictures to the size, format, matrix and range of the first one. Encoders
// cannot change these, and neither can most players.
#pragma once

#include <optional>

#include "pipeline/av/convert/convert.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

class PictureFitter {
 public:
  // `first` outlives this object. Pictures that are made lie in `memory`; `notify` hears of the
  // first of them, `lose` of what is not kept.
  // `coded_aspect` is the shape of pixels that the first pictures say themselves, for which the
  // container may say another; 0 where nobody knows it before the first one.
  PictureFitter(const VideoInfo& first, AVRational coded_aspect, const FrameMemory& memory,
                Notify notify, Notify lose)
      : first_(first),
        memory_(memory),
        notify_(std::move(notify)),
        lose_(std::move(lose)),
        coded_aspect_(coded_aspect) {}

  // Returns the frame itself if it is as the first one, else a converted one, with the shape of its
  // own pixels in either case. Throws Error(device) if it is another and lies `on_device`.
  FramePtr fit(FramePtr frame, std::int64_t number, bool on_device);

  std::size_t memory() const { return converter_ ? converter_->memory() : 0; }

 private:
  const VideoInfo& first_;
  const FrameMemory memory_;
  // Sets the shape of a picture's pixels, before and after it is scaled.
  void set_aspect(AVFrame& frame);
  void scale_aspect(const AVFrame& from, AVFrame& to) const;
  // Compares what the frame says, or what is assumed if it says nothing.
  bool has_other_colours(const AVFrame& frame) const;
  void say_change(const AVFrame& frame, std::int64_t number);
  void name_lost(const AVFrame& frame, std::int64_t number);
  void name_lost_metadata(const AVFrame& frame, std::int64_t number);
  void name_poorer_format(const AVFrame& frame, std::int64_t number);

  const Notify notify_, lose_;
  std::optional<Converter> converter_;
  AVRational coded_aspect_;         // 0 until it is known
  bool named_ = false;              // `lose` has heard of properties
  bool format_is_named_ = false;    // and of the format
  bool metadata_is_named_ = false;  // and of metadata of pictures
};

}  // namespace vidconv
