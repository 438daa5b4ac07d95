// Planes that bulk copies can bring go to a kernel for these, others to another convolver.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernels/convolver/convolver.h"
#include "kernels/cuda/tile.cuh"

namespace vidconv::cuda {

// Whether the kernels of a shape take the planes. Rows are whole vectors of 16 bytes; and where a
// plane ends a few columns into a warp's, the warp to the left would need the margin as well.
template <class S>
bool takes_rows(const PlanePair& pair) {
  const int width = pair.src.width, into = width % S::warp_width;
  return is_aligned(pair.src, 16) &&
         is_aligned(pair.dst, S::columns * static_cast<unsigned>(S::sample)) &&
         width % vector_samples<typename S::Sample> == 0 &&
         (into == 0 || into >= S::half || width < S::warp_width);
}

// Runs the pairs that `Bulk` takes by it, and the others by another convolver.
template <class Bulk>
class BulkOrOther final : public Convolver {
 public:
  BulkOrOther(const Plan& plan, std::unique_ptr<Convolver> other)
      : bulk_(plan), other_(std::move(other)) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    while (!pairs.empty()) {
      const bool bulk = bulk_.takes(pairs.front());
      const auto unlike = std::ranges::find_if(
          pairs, [&](const PlanePair& pair) { return bulk_.takes(pair) != bulk; });
      const auto alike = pairs.first(static_cast<std::size_t>(unlike - pairs.begin()));
      if (bulk)
        bulk_.run(alike, stream);
      else
        other_->run(alike, stream);
      pairs = pairs.subspan(alike.size());
    }
  }

 private:
  Bulk bulk_;
  std::unique_ptr<Convolver> other_;
};

}  // namespace vidconv::cuda
