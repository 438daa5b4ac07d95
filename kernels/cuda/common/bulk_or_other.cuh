// Sends planes that bulk copies can load to a kernel for these, and others to another convolver.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kernels/convolver/convolver.h"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/common/stream.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/common/tuning.h"

namespace vidconv::cuda {

// Returns whether kernels of shape S take the planes. Rows must be whole vectors of 16 bytes; and
// where a plane ends a few columns into a warp's, the warp to the left would need the margin as
// well.
template <class S>
bool takes_rows(const PlanePair& pair) {
  const int width = pair.src.width, into = width % S::warp_width;
  return is_aligned(pair.src, 16) &&
         is_aligned(pair.dst, S::columns * static_cast<unsigned>(S::sample)) &&
         width % vector_samples<typename S::Sample> == 0 &&
         (into == 0 || into >= S::aside || width < S::warp_width);
}

// A kernel for planes that bulk copies can load; S is the shape of its rows.
template <class S, class Work>
class BulkKernel {
 public:
  using Kernel = void (*)(Work);

  // `name` is the variant's, for errors. A tile's first and last size / 2 rows are only read.
  BulkKernel(const char* name, Kernel kernel, const Plan& plan, const Work& work, int size,
             const StripCost& strips)
      : name_(name),
        kernel_(kernel),
        work_(work),
        lost_(size - 1),
        strips_(strips),
        usable_(is_sm90(current_device()) && is_sm90_code(kernel) &&
                plan.border != BorderMode::wrap) {
    if (!usable_) return;
    allow_shared_memory(name_, kernel, S::bytes);
    multiprocessors_ = multiprocessors();
  }

  bool takes(const PlanePair& pair) const { return usable_ && takes_rows<S>(pair); }

  void run(std::span<const PlanePair> pairs, cudaStream_t stream) {
    work_.slabs = best_slabs(pairs, S::tile_width, S::slab_rows, lost_, multiprocessors_, strips_);
    for_each_batch(pairs, S::tile_width, work_.slabs * S::slab_rows - lost_,
                   [&](const Batch& batch, int blocks) {
                     work_.batch = batch;
                     launch(name_, kernel_, blocks, dim3(S::threads), S::bytes, stream, work_);
                   });
  }

 private:
  const char* name_;
  Kernel kernel_;
  Work work_;
  int lost_;  // rows of a tile that give no outputs
  StripCost strips_;
  bool usable_;
  int multiprocessors_ = 0;
};

// Runs the pairs that `Bulk` takes with it, and the others with another convolver.
template <class Bulk>
class BulkOrOther final : public Convolver {
 public:
  BulkOrOther(Bulk bulk, std::unique_ptr<Convolver> other)
      : bulk_(std::move(bulk)), other_(std::move(other)) {}

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

template <class Bulk>
std::unique_ptr<Convolver> bulk_or_other(Bulk bulk, std::unique_ptr<Convolver> other) {
  return std::make_unique<BulkOrOther<Bulk>>(std::move(bulk), std::move(other));
}

}  // namespace vidconv::cuda
