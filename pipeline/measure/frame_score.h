// How alike two pictures are: one as an encoder got it, and the same decoded again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/av/frame.h"

namespace vidconv {

// Which measures are wanted.
struct Measures {
  bool psnr = false, ssim = false, vmaf = false, xpsnr = false;
  std::string vmaf_model = "vmaf_v0.6.1";  // one of libvmaf's own, by its version
  bool any() const { return psnr || ssim || vmaf || xpsnr; }
  // Pictures are looked at in the order in which they are shown, with those before.
  bool need_order() const { return vmaf || xpsnr; }
};

struct ComponentScore {
  char name = 0;  // Y U V R G B A
  double samples = 0;
  double mse = 0;
  double max = 0;               // the largest code
  std::optional<double> ssim;   // none where the plane is too small for it
  std::optional<double> xpsnr;  // where it was asked for
};

struct FrameScore {
  std::int64_t number = 0;  // of the frames that went into the encoder, from 0
  std::int64_t pts = 0;     // in the time base of the video
  double time = 0;          // the same in seconds
  std::array<ComponentScore, 4> parts;
  std::size_t count = 0;  // of parts that are used
  // Of all samples: those of the components weighted with their numbers of samples.
  double mse = 0, max = 0;
  std::optional<double> ssim;
  std::optional<double> vmaf;   // where it was asked for
  std::optional<double> xpsnr;  // the same; the lowest of the components'

  std::span<const ComponentScore> components() const { return {parts.data(), count}; }
};

// Of the components that both have, found by their names: samples may lie in other ways. Sets
// neither number nor times. Throws Error(unaccounted) where the pictures are not alike in size or
// depth, or have no component in common.
FrameScore score_pictures(const Frame& given, const Frame& decoded);

}  // namespace vidconv
