// Scores how alike two pictures are: an encoder's input, and the same picture decoded again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/av/frame.h"

namespace vidconv {

// Selects measures.
struct Measures {
  bool psnr = false, ssim = false, vmaf = false, xpsnr = false;
  std::string vmaf_model = "vmaf_v0.6.1";  // one of libvmaf's own, by its version
  bool any() const { return psnr || ssim || vmaf || xpsnr; }
  // Returns whether pictures have to come in the order in which they are shown, because a score
  // depends on those before.
  bool need_order() const { return vmaf || xpsnr; }
};

struct ComponentScore {
  char name = 0;  // Y U V R G B A
  double samples = 0;
  double mse = 0;
  double max = 0;               // the largest code
  std::optional<double> ssim;   // none where the plane is too small for it
  std::optional<double> xpsnr;  // if requested
};

struct FrameScore {
  std::int64_t number = 0;  // counts frames that went into the encoder, from 0
  std::int64_t pts = 0;     // in the time base of the video
  double time = 0;          // pts in seconds
  std::array<ComponentScore, 4> parts;
  std::size_t count = 0;  // used elements of `parts`
  // Over all samples: components are weighted by their numbers of samples.
  double mse = 0, max = 0;
  std::optional<double> ssim;
  std::optional<double> vmaf;   // if requested
  std::optional<double> xpsnr;  // if requested; the lowest of the components'

  std::span<const ComponentScore> components() const { return {parts.data(), count}; }
};

// Compares the components that both have, matched by name: their samples may lie differently. Sets
// neither number nor times. Throws Error(unaccounted) where the pictures differ in size or depth,
// or have no component in common.
FrameScore score_pictures(const Frame& given, const Frame& decoded);

}  // namespace vidconv
