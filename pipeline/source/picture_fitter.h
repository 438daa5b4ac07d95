// PictureFitter: pictures in the size and format of the first one. Encoders cannot change, and
// neither can most players.
#pragma once

#include <optional>

#include "pipeline/av/convert.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"

namespace vidconv {

class PictureFitter {
 public:
  // `first` outlives this object. Pictures that are made lie in `memory`; `notify`
  // hears of the first.
  PictureFitter(const VideoInfo& first, const FrameMemory& memory, Notify notify)
      : first_(first), memory_(memory), notify_(std::move(notify)) {}

  // The frame itself where it is as the first one. Throws Error(device) where it is not and lies
  // `on_device`.
  FramePtr fit(FramePtr frame, std::int64_t number, bool on_device);

  std::size_t memory() const { return converter_ ? converter_->memory() : 0; }

 private:
  const VideoInfo& first_;
  const FrameMemory memory_;
  const Notify notify_;
  std::optional<Converter> converter_;
};

}  // namespace vidconv
