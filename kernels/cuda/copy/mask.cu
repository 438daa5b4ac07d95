#include "kernels/cuda/common/check.h"
#include "kernels/cuda/copy/mask.h"
#include "kernels/picture/weights.h"

namespace vidconv::cuda {
namespace mask_kernels {
namespace {

constexpr int lanes = 32, rows = 8;  // lanes and rows of a block that works sample by sample

dim3 blocks_for(int width, int height) {
  return dim3(static_cast<unsigned>((width + lanes - 1) / lanes),
              static_cast<unsigned>((height + rows - 1) / rows));
}

__device__ inline int sample_x() { return static_cast<int>(blockIdx.x * lanes + threadIdx.x); }
__device__ inline int sample_y() { return static_cast<int>(blockIdx.y * rows + threadIdx.y); }

template <class T>
__global__ void __launch_bounds__(lanes* rows)
    raise_kernel(Plane<const T> response, SampleType sample, Plane<std::uint8_t> weights) {
  const int x = sample_x(), y = sample_y();
  if (x >= weights.width || y >= weights.height) return;
  const std::uint8_t weight =
      weight_of(response.row(y)[static_cast<std::ptrdiff_t>(x) * response.step], sample);
  std::uint8_t& raised = weights.row(y)[x];
  if (weight > raised) raised = weight;
}

__global__ void __launch_bounds__(lanes* rows)
    touched_kernel(Plane<const std::uint8_t> pixels, bool invert, bool whole,
                   Subsampling subsampling, bool by_field, Plane<std::uint8_t> samples) {
  const int x = sample_x(), y = sample_y();
  if (x >= samples.width || y >= samples.height) return;
  int most = 0;
  for (int j = 0; j < subsampling.y; ++j) {
    const int row = row_touched(y, j, subsampling.y, by_field);
    if (row >= pixels.height) continue;
    const std::uint8_t* from = pixels.row(row);
    for (int i = 0; i < subsampling.x && x * subsampling.x + i < pixels.width; ++i) {
      const int weight = from[x * subsampling.x + i];
      most = max(most, invert ? 255 - weight : weight);
    }
  }
  samples.row(y)[x] = static_cast<std::uint8_t>(whole && most > 0 ? 255 : most);
}

// Limits how far numbers fall along lines: by at most 255 from one to the next. A warp has a line,
// a block `side` of them, which walks along them in squares that it transposes on their way out: so
// the second pass finds columns as lines.
constexpr int side = 32;
constexpr unsigned whole_warp = ~0u;
constexpr int nothing = -(1 << 30);

// Returns the lane's number, raised to what the lanes before it in the warp, and the number before
// them, require.
__device__ inline int limited_after(int value, int before, int lane) {
#pragma unroll
  for (int d = 1; d < side; d *= 2) {
    const int other = __shfl_up_sync(whole_warp, value, d);
    if (lane >= d) value = max(value, other - 255 * d);
  }
  return max(value, before - 255 * (lane + 1));
}
__device__ inline int limited_ahead(int value, int behind, int lane) {
#pragma unroll
  for (int d = 1; d < side; d *= 2) {
    const int other = __shfl_down_sync(whole_warp, value, d);
    if (lane + d < side) value = max(value, other - 255 * d);
  }
  return max(value, behind - 255 * (side - lane));
}

// Reads `height` lines of `width` numbers by load(line, at); calls store(pass, at, line, number).
template <class Load, class Store>
__device__ void limit_slopes(int width, int height, const Load& load, const Store& store) {
  __shared__ int square[side][side + 1];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int first = static_cast<int>(blockIdx.x) * side, line = first + warp;
  const int squares = (width + side - 1) / side;
  for (int pass = 0; pass < 2; ++pass) {
    int carry = nothing;
    for (int i = 0; i < squares; ++i) {
      const int x = (pass == 0 ? i : squares - 1 - i) * side;
      int value = line < height && x + lane < width ? load(line, x + lane) : nothing;
      value = pass == 0 ? limited_after(value, carry, lane) : limited_ahead(value, carry, lane);
      carry = __shfl_sync(whole_warp, value, pass == 0 ? side - 1 : 0);
      square[warp][lane] = value;
      __syncthreads();
      if (x + warp < width && first + lane < height)
        store(pass, x + warp, first + lane, square[lane][warp]);
      __syncthreads();
    }
  }
}

// Limits rows of weights, in units of 1 / unit; the numbers' columns become `turned`'s rows.
__global__ void __launch_bounds__(side* side)
    limit_rows_kernel(Plane<const std::uint8_t> weights, int unit, std::int32_t* turned) {
  const auto at = [&](int x, int y) -> std::int32_t& {
    return turned[static_cast<std::ptrdiff_t>(x) * weights.height + y];
  };
  limit_slopes(
      weights.width, weights.height, [&](int y, int x) { return weights.row(y)[x] * unit; },
      [&](int pass, int x, int y, int value) {
        at(x, y) = pass == 0 ? value : max(at(x, y), value);
      });
}

// Limits the columns, and rounds to weights.
__global__ void __launch_bounds__(side* side)
    limit_columns_kernel(const std::int32_t* turned, int unit, std::int32_t* scratch,
                         Plane<std::uint8_t> weights) {
  limit_slopes(
      weights.height, weights.width,
      [&](int x, int y) { return turned[static_cast<std::ptrdiff_t>(x) * weights.height + y]; },
      [&](int pass, int y, int x, int value) {
        std::int32_t& before = scratch[static_cast<std::ptrdiff_t>(y) * weights.width + x];
        if (pass == 0)
          before = value;
        else
          weights.row(y)[x] = static_cast<std::uint8_t>((max(before, value) + unit / 2) / unit);
      });
}

int blocks_of_lines(int lines) { return (lines + side - 1) / side; }

}  // namespace
}  // namespace mask_kernels

void raise_weights(const ConstBytePlane& response, const SampleType& sample,
                   const Plane<std::uint8_t>& weights, CudaStream stream) {
  using namespace mask_kernels;
  const dim3 blocks = blocks_for(weights.width, weights.height), block(lanes, rows);
  switch (sample.storage) {
    case Storage::u8:
      raise_kernel<<<blocks, block, 0, stream>>>(response.as<const std::uint8_t>(), sample,
                                                 weights);
      break;
    case Storage::u16:
      raise_kernel<<<blocks, block, 0, stream>>>(response.as<const std::uint16_t>(), sample,
                                                 weights);
      break;
    case Storage::f32:
      raise_kernel<<<blocks, block, 0, stream>>>(response.as<const float>(), sample, weights);
  }
  check_launch("cuda-mask");
}

void feather_weights(const Plane<std::uint8_t>& weights, int reach, std::int32_t* scratch,
                     CudaStream stream) {
  using namespace mask_kernels;
  if (reach == 0) return;
  const dim3 block(side, side);
  std::int32_t* const turned = scratch + std::ptrdiff_t{weights.width} * weights.height;
  const Plane<const std::uint8_t> read = weights.as<const std::uint8_t>();
  limit_rows_kernel<<<blocks_of_lines(weights.height), block, 0, stream>>>(read, reach + 1, turned);
  check_launch("cuda-mask");
  limit_columns_kernel<<<blocks_of_lines(weights.width), block, 0, stream>>>(turned, reach + 1,
                                                                             scratch, weights);
  check_launch("cuda-mask");
}

void touched_weights(const Plane<const std::uint8_t>& pixels, bool invert, bool whole,
                     Subsampling subsampling, bool by_field, const Plane<std::uint8_t>& samples,
                     CudaStream stream) {
  using namespace mask_kernels;
  touched_kernel<<<blocks_for(samples.width, samples.height), dim3(lanes, rows), 0, stream>>>(
      pixels, invert, whole, subsampling, by_field, samples);
  check_launch("cuda-mask");
}

}  // namespace vidconv::cuda
