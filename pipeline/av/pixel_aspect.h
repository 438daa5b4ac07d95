// Tells what becomes of the shape of pixels (the sample aspect ratio), which may change midstream.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/av/av.h"
#include "pipeline/av/frame.h"
#include "pipeline/base/notice.h"

namespace vidconv {

// Returns whether both mean the same shape; an unknown one is square.
bool same_aspect(AVRational a, AVRational b);

// Returns whether the container, by FFmpeg's name, says the shape of such video itself, once for
// all pictures and whatever the codec says.
bool says_aspect(std::string_view container, AVCodecID codec);

// Returns whether pictures in it have the shape that the codec's data says before them: the
// container, or the single picture where its name is empty, has no other word for it and begins
// anew at any key frame.
bool follows_aspect(std::string_view container);

// Reports the first picture that has another shape than the output says of all.
class NewAspect {
 public:
  // `first` is the shape that the output says; `who` says it, for people.
  NewAspect(AVRational first, std::string who, Notify lose);

  // Does nothing after the first report.
  void check(const Frame& frame);

 private:
  const AVRational first_;
  const std::string who_;
  const Notify lose_;
  bool told_ = false;
};

}  // namespace vidconv
