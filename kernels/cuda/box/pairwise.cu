// cuda-pairwise: floats under equal taps, rows first, then columns of their sums. The most common
// squares have kernels of their own (pairwise_square.cu); here are two for all others. The row sums
// wait in device memory.
#include <algorithm>

#include "kernels/cuda/box/pairwise.cuh"
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/scratch.h"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace pairwise_kernels {
namespace {

using pairwise::Work;
static_assert(pairwise::column_places(pairwise::columns_for(Kernel::max_size)) >
                  Kernel::max_size + 256 &&
              pairwise::row_places > Kernel::max_size + 256);

__global__ void __launch_bounds__(pairwise::threads, 6)
    row_sums_kernel(const __grid_constant__ Work work) {
  extern __shared__ float pairwise_memory[];
  pairwise::sum_row(work, pairwise_memory);
}

__global__ void __launch_bounds__(pairwise::threads, 4)
    column_sums_kernel(const __grid_constant__ Work work) {
  extern __shared__ float pairwise_memory[];
  pairwise::sum_columns(work, pairwise_memory);
}

class Pairwise final : public Convolver {
 public:
  explicit Pairwise(const Plan& plan) {
    const Taps& t = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.width = t.width, work_.height = t.height;
    work_.anchor_x = t.anchor_x, work_.anchor_y = t.anchor_y;
    work_.tap = static_cast<float>(t.column[0]);
    work_.offset = static_cast<float>(plan.finish.real_offset);
    work_.absolute = plan.finish.absolute;
    work_.columns = pairwise::columns_for(t.height);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    std::size_t most = 0;
    for (const PlanePair& pair : pairs) most = std::max(most, sums_of(pair));
    if (most == 0) return;
    const Scratch::Use use = scratch_.use(most * sizeof(float), stream);
    for (const PlanePair& pair : pairs) {
      if (sums_of(pair) == 0) continue;
      const int width = pair.dst.width, height = pair.dst.height;
      Work work = work_;
      work.sums = reinterpret_cast<float*>(use.data());
      work.src = pair.src.as<const float>();
      work.dst = pair.dst.as<float>();
      work.pitch = width;
      const int most_across = pairwise::row_places - (work.width - 1);
      work.across = pieces(width, most_across);
      work.tile = std::min(round_up(pieces(width, work.across), 32), most_across);
      launch("cuda-pairwise, rows", row_sums_kernel, work.across * (height + 1), work, stream,
             pairwise::row_values);
      const int down = pieces(height, pairwise::column_places(work.columns) - (work.height - 1));
      work.across = pieces(width, work.columns);
      work.tile = pieces(height, down);
      launch("cuda-pairwise, columns", column_sums_kernel, work.across * down, work, stream,
             pairwise::column_values);
    }
  }

 private:
  static int pieces(int length, int most) { return (length + most - 1) / most; }
  static std::size_t sums_of(const PlanePair& pair) {
    if (pair.dst.width < 1 || pair.dst.height < 1) return 0;
    return static_cast<std::size_t>(pair.dst.width) *
           (static_cast<std::size_t>(pair.dst.height) + 1);
  }
  static void launch(const char* name, void (*kernel)(Work), int blocks, const Work& work,
                     cudaStream_t stream, int values) {
    cuda::launch(name, kernel, blocks, dim3(pairwise::threads),
                 pairwise::room(values) * static_cast<int>(sizeof(float)), stream, work);
  }

  Scratch scratch_;
  Work work_{};
};

}  // namespace
}  // namespace pairwise_kernels

bool supports_pairwise(const Plan& plan) { return plan.terms[0].pairwise; }

std::unique_ptr<Convolver> make_pairwise(const Plan& plan, int) {
  if (auto square = make_pairwise_square(plan)) return square;
  return std::make_unique<pairwise_kernels::Pairwise>(plan);
}

}  // namespace vidconv::cuda
