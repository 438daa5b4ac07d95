// cuda-pairwise for squares of 7x7 to 31x31 taps around the output sample: rows and columns in one
// kernel, unrolled.
#include <algorithm>

#include "kernels/cuda/box/pairwise_square.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device.h"
#include "kernels/cuda/common/shared_memory.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace pairwise_square_kernels {
namespace {

constexpr int smallest_square = 7, largest_square = 31;

template <int n>
__global__ void __launch_bounds__(square::threads, square::tuned.blocks_wanted)
    pairwise_square_kernel(const __grid_constant__ square::Work work) {
  extern __shared__ float4 square_memory[];
  square::filter_strip<n>(work, reinterpret_cast<float*>(square_memory));
}

template <int n>
class PairwiseSquare final : public Convolver {
 public:
  explicit PairwiseSquare(const Plan& plan) {
    work_.sampling = sampling_of(plan);
    work_.tap = static_cast<float>(plan.terms[0].column[0]);
    work_.offset = static_cast<float>(plan.finish.real_offset);
    work_.absolute = plan.finish.absolute;
    allow_shared_memory("cuda-pairwise", kernel, shared_bytes);
    multiprocessors_ = multiprocessors();
    at_once_ =
        std::max(1, blocks_at_once(kernel, square::threads, shared_bytes) / multiprocessors_);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    StripCost cost = sm90::pairwise_square_strips;
    cost.at_once = at_once_;
    work_.slabs =
        best_slabs(pairs, square::tile_width, square::slab_rows, n - 1, multiprocessors_, cost);
    const int tile_height = work_.slabs * square::slab_rows - (n - 1);
    for_each_batch(pairs, square::tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-pairwise", kernel, blocks, dim3(square::threads), shared_bytes, stream, work_);
    });
  }

 private:
  static constexpr auto kernel = pairwise_square_kernel<n>;
  static constexpr int shared_bytes = square::Layout<n>::bytes;
  square::Work work_{};
  int multiprocessors_, at_once_;  // blocks on a multiprocessor
};

template <int n>
std::unique_ptr<Convolver> make_square(const Plan& plan) {
  if constexpr (n < largest_square)
    if (plan.terms[0].width > n) return make_square<n + 2>(plan);
  return std::make_unique<PairwiseSquare<n>>(plan);
}

}  // namespace
}  // namespace pairwise_square_kernels

std::unique_ptr<Convolver> make_pairwise_square(const Plan& plan) {
  using namespace pairwise_square_kernels;
  const Taps& t = plan.terms[0];
  if (t.width != t.height || t.width % 2 == 0 || t.width < smallest_square ||
      t.width > largest_square || t.anchor_x != t.width / 2 || t.anchor_y != t.height / 2)
    return nullptr;
  return make_square<smallest_square>(plan);
}

}  // namespace vidconv::cuda
