// cuda-weighted-means: means that count by alpha, a sample a thread, as the definition says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolver/weighted_pairs.h"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/variants.h"
#include "kernels/plan/weighted.h"

namespace vidconv::cuda {
namespace weighted_means_kernels {
namespace {

constexpr int lanes = 32, warps = 8;

struct Work {
  PlanePair pair;
  ConstBytePlane weights;
  WeightedMath math;
  // width taps of the row and height of the column, or all of a matrix row by row.
  const double* taps;
  bool two_passes;
  int width, height, anchor_x, anchor_y;
};

struct Sums {
  double terms = 0, weights = 0;
  __device__ void add(double tap, const Sums& other) {
    terms = __dadd_rn(terms, __dmul_rn(tap, other.terms));
    weights = __dadd_rn(weights, __dmul_rn(tap, other.weights));
  }
};

template <class T>
__device__ inline Sums pixel(const Work& work, const Plane<const T>& src,
                             const Plane<const T>& weights, int x, int y) {
  const int u = border_index(work.math.border, x, src.width);
  const int v = border_index(work.math.border, y, src.height);
  if (u < 0 || v < 0) return {work.math.outside_term, work.math.outside_weight};
  const double weight = weight_at(work.math, weights, u, v);
  const T stored = src.row(v)[std::ptrdiff_t{u} * src.step];
  return {weighted_term(weight, weighted_value(stored, work.math.shift)), weight};
}

template <class T>
__global__ void __launch_bounds__(lanes* warps) weighted_kernel(const __grid_constant__ Work work) {
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = work.pair.src.as<const T>();
  const Plane<const T> weights = work.weights.as<const T>();
  const Plane<T> dst = work.pair.dst.as<T>();
  const int columns = (dst.width + lanes - 1) / lanes;
  const std::int64_t tiles = std::int64_t{columns} * ((dst.height + warps - 1) / warps);
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int x = static_cast<int>(tile % columns) * lanes + static_cast<int>(threadIdx.x);
    const int y = static_cast<int>(tile / columns) * warps + static_cast<int>(threadIdx.y);
    if (x >= dst.width || y >= dst.height) continue;
    Sums sums;
    for (int j = 0; j < work.height; ++j) {
      const double* const row = work.two_passes ? work.taps : work.taps + j * work.width;
      Sums of_row;
      for (int i = 0; i < work.width; ++i)
        of_row.add(row[i], pixel(work, src, weights, x - work.anchor_x + i, y - work.anchor_y + j));
      sums.add(work.two_passes ? work.taps[work.width + j] : 1, of_row);
    }
    dst.row(y)[std::ptrdiff_t{x} * dst.step] = weighted_mean(
        work.math, sums.terms, sums.weights, src.row(y)[std::ptrdiff_t{x} * src.step]);
  }
}

template <class T>
class WeightedMeans final : public Convolver {
 public:
  explicit WeightedMeans(const Plan& plan)
      : work_{.pair = {},
              .weights = {},
              .math = weighted_math(plan),
              .taps = nullptr,
              .two_passes = plan.terms[0].dense.empty(),
              .width = plan.terms[0].width,
              .height = plan.terms[0].height,
              .anchor_x = plan.terms[0].anchor_x,
              .anchor_y = plan.terms[0].anchor_y} {
    const Taps& from = plan.terms[0];
    std::vector<double> taps = from.dense.empty() ? from.row : from.dense;
    if (from.dense.empty()) taps.insert(taps.end(), from.column.begin(), from.column.end());
    taps_.emplace(std::span<const double>(taps));
    work_.taps = taps_->data();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    constexpr std::int64_t most = 1 << 20;  // thread blocks; they go on with what is left
    for_weighted_groups(
        pairs, [&](std::span<const PlanePair> group, const ConstBytePlane& weights) {
          for (const PlanePair& pair : group) {
            if (pair.dst.width < 1 || pair.dst.height < 1) continue;
            Work work = work_;
            work.pair = pair;
            work.weights = weights;
            const std::int64_t blocks = std::int64_t{(pair.dst.width + lanes - 1) / lanes} *
                                        ((pair.dst.height + warps - 1) / warps);
            launch("cuda-weighted-means", weighted_kernel<T>,
                   static_cast<int>(std::min(blocks, most)), dim3(lanes, warps), 0, stream, work);
          }
        });
  }

 private:
  std::optional<DeviceArray<double>> taps_;
  Work work_;
};

}  // namespace
}  // namespace weighted_means_kernels

std::unique_ptr<Convolver> make_weighted_means(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<weighted_means_kernels::WeightedMeans<std::uint8_t>>(plan);
  if (plan.sample.storage == Storage::u16)
    return std::make_unique<weighted_means_kernels::WeightedMeans<std::uint16_t>>(plan);
  return std::make_unique<weighted_means_kernels::WeightedMeans<float>>(plan);
}

}  // namespace vidconv::cuda
