// Pictures to measure on: several pairs of one size, so that runs in turn do not find their samples
// in a cache; noise in the sources.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "bench/device.h"
#include "kernels/picture/plane.h"

namespace vidconv::bench {

// Codes of `sample` at random, as they lie in memory; floats from 0 to 1.
std::vector<std::byte> noise(SampleType sample, std::size_t count, unsigned seed);

class Planes {
 public:
  // `pairs` pairs of `width` x `height` samples each, rows one after another without gaps.
  Planes(Device device, SampleType sample, int width, int height, int pairs);

  std::span<const PlanePair> pairs() const { return pairs_; }
  const PlanePair& pair(int i) const { return pairs_[static_cast<std::size_t>(i) % pairs_.size()]; }
  std::size_t bytes() const { return bytes_; }  // of one plane
  // Copies of the source and of the result of pair 0 in host memory.
  std::vector<std::byte> source() const;
  std::vector<std::byte> result() const;
  // Fills every result with something else, so that what is not written shows.
  void spoil() const;

 private:
  std::size_t bytes_;
  std::vector<Memory> memory_;  // source and result of each pair
  std::vector<PlanePair> pairs_;
};

}  // namespace vidconv::bench
