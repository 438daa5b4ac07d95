// Mixes filtered samples into the picture, sample by sample, by weights.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/convolver/convolver.h"
#include "kernels/picture/plane.h"
#include "kernels/picture/weights.h"

namespace vidconv {

// Returns `weight` 255ths of the filtered sample plus the rest of `was`, to the nearest code
// (docs/numerics.md). Codes are not shifted.
template <class Code>
constexpr Code blended(Code was, Code filtered, unsigned weight) {
  return static_cast<Code>((was * (255 - weight) + filtered * weight + 127) / 255);
}
constexpr float blended(float was, float filtered, unsigned weight) {
  if (weight == 0) return was;
  if (weight == 255) return filtered;
  return was + (filtered - was) * (static_cast<float>(weight) / 255.0F);
}

// Does this for samples as they are stored, `shift` bits up.
template <class T>
constexpr T blended_stored(T was, T filtered, unsigned weight, int shift) {
  return static_cast<T>(
      blended(static_cast<T>(was >> shift), static_cast<T>(filtered >> shift), weight) << shift);
}
constexpr float blended_stored(float was, float filtered, unsigned weight, int) {
  return blended(was, filtered, weight);
}

// Three planes of equal size: filtered samples, the picture they are mixed into, and the weights.
struct Blend {
  PlanePair planes;                   // filtered, picture
  Plane<const std::uint8_t> weights;  // without data: all are 255, so the filtered samples replace
  MapLevel level = {};                // number 0, or the level of a map with `weights` as values
};

// Mixes planes of samples of one type. Samples of weight 0 are not written.
class Blender {
 public:
  virtual ~Blender() = default;

  // Returns where run() can read these weights as long as they are held and unchanged: on the CPU
  // the weights themselves; with CUDA a copy in the memory of the current device. Blocks until the
  // copy is made.
  virtual std::shared_ptr<const std::uint8_t> hold(std::span<const std::uint8_t> weights) const = 0;

  // Runs as Convolver::run() does. The pictures of no two blends may overlap.
  virtual void run(std::span<const Blend> blends, CudaStream stream) = 0;
};

std::unique_ptr<Blender> make_cpu_blender(const SampleType& sample, int threads);
// Throws std::invalid_argument in a build without CUDA.
std::unique_ptr<Blender> make_cuda_blender(const SampleType& sample);

}  // namespace vidconv
