// Pictures to measure on: several pairs of one size, so that runs in turn do not find their samples
// in a cache. Sources are noise.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "bench/device.h"
#include "kernels/picture/plane.h"

namespace vidconv::bench {

// Returns random codes of `sample` as they lie in memory; floats from 0 to 1.
std::vector<std::byte> noise(SampleType sample, std::size_t count, unsigned seed);

class Planes {
 public:
  // Makes `pairs` pairs of planes of `width` x `height` samples, rows without gaps between.
  Planes(Device device, SampleType sample, int width, int height, int pairs);

  std::span<const PlanePair> pairs() const { return pairs_; }
  const PlanePair& pair(int i) const { return pairs_[static_cast<std::size_t>(i) % pairs_.size()]; }
  std::size_t bytes() const { return bytes_; }  // bytes of one plane
  // Return copies of pair 0's source and result in host memory.
  std::vector<std::byte> source() const;
  std::vector<std::byte> result() const;
  // Fills every result with something else, so that samples that are not written show.
  void spoil() const;

 private:
  std::size_t bytes_;
  std::vector<Memory> memory_;  // source and result of each pair
  std::vector<PlanePair> pairs_;
};

}  // namespace vidconv::bench
