// study-cuda-double: study-cuda-global with every sum in double. A double holds integers up to
// 2^53, so that plans of integers come out the same, to the bit, as in int32, and plans too large
// for that (docs/numerics.md, "exact, long") can be computed at all. What it costs depends on the
// GPU more than on anything else here: half the rate of float on data-centre GPUs, 1/32 or 1/64 on
// others.
#include "kernels/study/cuda/on_cuda.cuh"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

using Sample = std::uint8_t;

// Response is the type of the plan's own arithmetic.
template <class Response>
__global__ void double_kernel(const __grid_constant__ Work<Sample> work, const double* taps) {
  const int x = thread_x(), y = thread_y();
  if (!inside(work.dst, x, y)) return;
  const auto tap = [&](int i) { return taps[i]; };
  const auto read = [&](int u, int v) { return sample_at(work.src, work.lesson, u, v); };
  store(work.dst, x, y, output<Sample, double, Response>(work.lesson, x, y, tap, read));
}

class Double final : public Convolver {
 public:
  explicit Double(const Plan& plan)
      : integers_(plan.arith == Arith::int32), taps_(lesson_taps(plan, Prefer::dense)) {
    work_.lesson = make_lesson(plan, Prefer::dense);
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    const dim3 block(16, 16);
    for (const PlanePair& pair : pairs) {
      if (pair.dst.width < 1 || pair.dst.height < 1) continue;
      work_.src = pair.src.as<const Sample>();
      work_.dst = pair.dst.as<Sample>();
      const dim3 grid = grid_for(pair.dst.width, pair.dst.height, block);
      if (integers_)
        double_kernel<std::int32_t><<<grid, block, 0, stream>>>(work_, taps_.data());
      else
        double_kernel<double><<<grid, block, 0, stream>>>(work_, taps_.data());
      check_launch("study-cuda-double");
    }
  }

 private:
  bool integers_;
  cuda::DeviceArray<double> taps_;
  Work<Sample> work_{};
};

}  // namespace

bool supports_cuda_double(const Plan& plan) {
  if (plan.sample.storage != Storage::u8 || plan.arith == Arith::float32) return false;
  Plan same = plan;  // the plan as the other variants would support it, in int32
  same.arith = Arith::int32;
  return supports_any(same);
}

std::unique_ptr<Convolver> make_cuda_double(const Plan& plan, int) {
  return std::make_unique<Double>(plan);
}

}  // namespace vidconv::study
