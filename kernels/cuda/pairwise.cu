// cuda-pairwise: floats under equal taps, rows first, then columns of their sums, in two kernels.
// The sums of the rows wait in device memory.
#include <algorithm>

#include "kernels/cuda/check.h"
#include "kernels/cuda/pairwise.cuh"
#include "kernels/cuda/scratch.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

using pairwise::Work;
static_assert(pairwise::largest == Kernel::max_size);

constexpr int most_shared = 48 * 1024;  // what every device gives a block unasked

__global__ void __launch_bounds__(pairwise::row_threads)
    row_sums_kernel(const __grid_constant__ Work work) {
  __shared__ float shared[pairwise::row_room];
  pairwise::sum_row(work, shared);
}

__global__ void __launch_bounds__(pairwise::lanes)
    column_sums_kernel(const __grid_constant__ Work work) {
  extern __shared__ float column_memory[];
  pairwise::sum_columns(work, column_memory);
}

class Pairwise final : public Convolver {
 public:
  explicit Pairwise(const Plan& plan) {
    const Taps& t = plan.terms[0];
    work_.border = plan.border;
    work_.outside = static_cast<float>(plan.outside);
    work_.finish = plan.finish;
    work_.width = t.width, work_.height = t.height;
    work_.anchor_x = t.anchor_x, work_.anchor_y = t.anchor_y;
    work_.tap = static_cast<float>(t.column[0]);
    work_.columns = pairwise::lanes;
    if (column_bytes() > most_shared) work_.columns /= 2;
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    std::size_t most = 0;
    for (const PlanePair& pair : pairs) most = std::max(most, sums_of(pair));
    if (most == 0) return;
    const Scratch::Use use = scratch_.use(most * sizeof(float), stream);
    work_.sums = reinterpret_cast<float*>(use.data());
    for (const PlanePair& pair : pairs) {
      if (sums_of(pair) == 0) continue;
      work_.src = pair.src.as<const float>();
      work_.dst = pair.dst.as<float>();
      const int width = pair.dst.width, height = pair.dst.height;
      work_.pitch = width;
      row_sums_kernel<<<tiles(height + 1, 1, width, pairwise::row_tile), pairwise::row_threads, 0,
                        stream>>>(work_);
      check_launch("cuda-pairwise, rows");
      column_sums_kernel<<<tiles(width, work_.columns, height, pairwise::column_tile),
                           pairwise::lanes, column_bytes(), stream>>>(work_);
      check_launch("cuda-pairwise, columns");
    }
  }

 private:
  int column_bytes() const {
    return pairwise::column_room(work_) * static_cast<int>(sizeof(float));
  }
  static std::size_t sums_of(const PlanePair& pair) {
    if (pair.dst.width < 1 || pair.dst.height < 1) return 0;
    return static_cast<std::size_t>(pair.dst.width) *
           (static_cast<std::size_t>(pair.dst.height) + 1);
  }
  static dim3 tiles(int width, int tile_width, int height, int rows) {
    return {static_cast<unsigned>((width + tile_width - 1) / tile_width),
            static_cast<unsigned>((height + rows - 1) / rows)};
  }

  Scratch scratch_;
  Work work_{};
};

}  // namespace

bool supports_pairwise(const Plan& plan) { return plan.terms[0].pairwise; }

std::unique_ptr<Convolver> make_pairwise(const Plan& plan, int) {
  return std::make_unique<Pairwise>(plan);
}

}  // namespace vidconv::cuda
