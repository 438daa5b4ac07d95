// Videos of one plane, for convolvers over time.
#pragma once

#include <memory>
#include <vector>

#include "kernels/convolver/time_convolver.h"
#include "kernels/variants/variants.h"
#include "tests/kernels/support/picture.h"

namespace vidconv::test {

// nullptr where the variant does not take the plan.
inline std::unique_ptr<TimeConvolver> convolver_of(const char* variant, const Plan& plan,
                                                   int threads) {
  const Prepared prepared = find_variant(variant)->prepare(plan, {});
  if (!prepared) return nullptr;
  std::unique_ptr<Convolver> convolver = prepared(threads);
  return std::unique_ptr<TimeConvolver>(&dynamic_cast<TimeConvolver&>(*convolver.release()));
}

// A video of one plane, and windows that move over it.
class Video {
 public:
  Video(SampleType sample, int width, int height, Arrangement arrangement, int frames,
        unsigned seed) {
    for (int n = 0; n < frames; ++n) {
      pictures_.emplace_back(sample, width, height, arrangement, seed + static_cast<unsigned>(n));
      pictures_.back().draw(n % 5 == 3 ? Content::black_and_white : Content::noise,
                            seed + static_cast<unsigned>(n));
    }
  }

  const Picture& at(int n) const { return pictures_[static_cast<std::size_t>(n)]; }
  TimeFrame frame(int n) const {
    if (n < 0 || n >= static_cast<int>(pictures_.size())) return {};
    const ConstBytePlane plane = at(n).plane();
    TimeFrame frame{.number = n, .planes = {}};
    frame.planes[0] = {.data = plane.data, .stride = plane.stride, .rows = plane.height};
    return frame;
  }
  void set(TimeConvolver& convolver, const Plan& plan, int here) const {
    const TapFrames taps = plan.tap_frames();
    std::vector<TimeFrame> frames;
    for (int k = 0; k < taps.count; ++k) frames.push_back(frame(here - taps.anchor + k));
    convolver.set_frames(frames, frame(here), frame(here - taps.anchor - 1));
  }

 private:
  std::vector<Picture> pictures_;
};

inline constexpr SampleType time_samples[] = {{Storage::u8, 8, 0},   {Storage::u16, 10, 0},
                                              {Storage::u16, 10, 6}, {Storage::u16, 12, 0},
                                              {Storage::u16, 16, 0}, {Storage::f32, 32, 0}};

}  // namespace vidconv::test
