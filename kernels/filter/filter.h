// Filter: what the user asked for, as one kernel, or several and how their responses combine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/filter/kernel.h"
#include "kernels/filter/over_time.h"
#include "kernels/picture/blocks.h"

namespace vidconv {

// How the responses r_k of a filter's kernels become one value.
enum class Combine : std::uint8_t {
  linear,      // r_0 (exactly one kernel)
  l2,          // sqrt(sum of r_k^2)
  l1,          // sum of |r_k|
  max,         // largest |r_k|
  signed_max,  // largest r_k, its sign kept
  unsharp,     // r_0 + sign(r_1) * max(|r_1| - threshold, 0) (exactly two kernels)
};

// Whether the responses are added up, so that their sum must be kept within bounds.
constexpr bool adds(Combine combine) {
  return combine == Combine::l1 || combine == Combine::unsharp;
}

// The purpose of a filter: decides the planes it acts on unless the user says otherwise.
enum class Purpose : std::uint8_t {
  blur,     // every colour plane
  sharpen,  // luma; chroma copied
  edge,     // luma; chroma set to neutral, so that edges are grey
};

// A colour as a screen shows it: red, green and blue, from 0 to 255.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

// y = clamp(combine(kernels) + bias * max), its absolute value taken first where `absolute`, and
// rounded to the nearest code, ties upward.
struct Filter {
  std::vector<Kernel> kernels;
  Combine combine = Combine::linear;
  double bias = 0;       // fraction of full scale
  double threshold = 0;  // for Combine::unsharp, at least 0; fraction of full scale
  bool absolute = false;
  Purpose purpose = Purpose::blur;

  // Instead of all that, where kernels are one tap and everything else is as it is here:
  Blocks blocks = {};               // each sample becomes the mean of its block
  std::optional<Colour> fill = {};  // nothing is left of the picture
  // Where the only kernel is a row of taps over frames, or a volume.
  std::optional<OverTime> over_time = {};
  bool convolves() const { return !blocks.any() && !fill; }
  bool operator==(const Filter&) const = default;
};

// How a filter treats the colours of a picture with alpha.
enum class AlphaUse : std::uint8_t {
  automatic,  // weighted, for blurs that act on all planes
  weighted,   // colours count by their alpha, which is filtered too
  separate,   // each plane on its own
};

// The grid of a plane's samples: each stands for x by y luma samples. Parametric filters given in
// luma pixels are scaled down by it, so that colour and brightness are treated alike.
struct Subsampling {
  int x = 1;
  int y = 1;
  bool operator==(const Subsampling&) const = default;
};

// Guesses the purpose of a kernel that comes without one from its taps: DC gain 0 is an edge
// detector, no negative tap and DC gain 1 a blur, anything else a sharpener (luma only, because
// another gain would shift colours).
Purpose purpose_of(const Kernel& kernel);

// Returns why a picture's colours cannot be weighted by its alpha, in words that follow "it"; empty
// where they can.
std::string why_not_weighted(const Filter& filter);

}  // namespace vidconv
