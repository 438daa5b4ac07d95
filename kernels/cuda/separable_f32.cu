// cuda-separable-f32: two passes over float samples, of 3 to 17 taps each way around the output
// sample, unrolled; every chain of fused multiply-adds in the order of docs/numerics.md.
//
// A block walks down, 16 rows at a time: it makes the row sums of a slab in place, and from the
// last rows of the slab before and this one's it makes 16 rows of outputs.
#include <algorithm>

#include "kernels/cuda/arith.cuh"
#include "kernels/cuda/batch.cuh"
#include "kernels/cuda/check.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stream.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

constexpr int threads = 128, warps = threads / 32;
constexpr int blocks_wanted = 6;     // on a multiprocessor
constexpr int tile_width = threads;  // a thread makes the outputs of a column
constexpr int slab_rows = 16;
constexpr int depth = 3;   // slabs in shared memory: two in use, one under way
constexpr int across = 8;  // adjacent sums that a thread makes in the row pass
constexpr int largest = 17;
static_assert(largest - 1 <= slab_rows);

template <int size>
struct Work {
  Batch batch;
  Sampling sampling;
  int slabs;  // of a tile
  float offset;
  bool absolute;
  float row[size], column[size];
};

// Rows are an odd number of vectors of 16 bytes long: so eight lanes that read vectors of two rows
// hit all banks once.
template <int size>
struct Layout {
  static constexpr int half = size / 2, margin = round_up(half, 4);
  static constexpr int pitch = ((tile_width + 2 * margin) / 4 | 1) * 4;
  using Samples = Stream<float, pitch, slab_rows, half, depth, threads>;
};

// The row pass over a slab in place: a warp takes some whole rows at a time, a lane a group of
// sums.
template <int size>
__device__ void sum_rows(float* samples, const Work<size>& work) {
  using L = Layout<size>;
  constexpr int groups = tile_width / across;  // of a row
  constexpr int at_once = 32 / groups;         // rows of a warp
  static_assert(at_once >= 1 && slab_rows % (at_once * warps) == 0);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  // Eight lanes at a time read four vectors, two apart, of each of two rows.
  const int group = lane % 4 + lane / 8 % (groups / 4) * 4;
  const int row = lane / 4 % 2 + lane / 8 / (groups / 4) * 2;
  float* at = samples + (warp * at_once + row) * L::pitch + group * across;
  constexpr int turns = slab_rows / (at_once * warps);
  float window[turns][across + 2 * L::margin];
#pragma unroll
  for (int r = 0; r < turns; ++r)
#pragma unroll
    for (int i = 0; i < across + 2 * L::margin; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(at + r * at_once * warps * L::pitch + i);
      window[r][i] = v.x, window[r][i + 1] = v.y;
      window[r][i + 2] = v.z, window[r][i + 3] = v.w;
    }
  __syncwarp();  // all of the warp's rows is read
#pragma unroll
  for (int r = 0; r < turns; ++r) {
    float t[across] = {};
#pragma unroll
    for (int i = 0; i < size; ++i)
#pragma unroll
      for (int x = 0; x < across; ++x)
        t[x] = multiply_add(work.row[i], window[r][L::margin - L::half + x + i], t[x]);
    auto* const to = reinterpret_cast<float4*>(at + r * at_once * warps * L::pitch);
    to[0] = make_float4(t[0], t[1], t[2], t[3]);
    to[1] = make_float4(t[4], t[5], t[6], t[7]);
  }
}

template <int size>
__global__ void __launch_bounds__(threads, blocks_wanted)
    separable_f32_kernel(const __grid_constant__ Work<size> work) {
  using L = Layout<size>;
  extern __shared__ float4 shared[];
  auto* const ring = reinterpret_cast<float*>(shared);
  // The first size - 1 rows of sums give no outputs.
  const Tile tile = this_tile(work.batch, tile_width, work.slabs * slab_rows - (size - 1));
  const Plane<float> dst = tile.pair.dst.as<float>();
  const int outputs = min(work.slabs * slab_rows - (size - 1), dst.height - tile.y);
  const int slabs = (outputs + size - 1 + slab_rows - 1) / slab_rows;
  wait_for_earlier_kernels();
  typename L::Samples samples(ring, tile.x - L::margin, tile.y - L::half, slabs,
                              tile.pair.src.as<const float>(), work.sampling);

  const int column = static_cast<int>(threadIdx.x);
  std::byte* to = nullptr;
  if (tile.x + column < dst.width)
    to = reinterpret_cast<std::byte*>(dst.row(tile.y) +
                                      static_cast<std::ptrdiff_t>(tile.x + column) * dst.step);
  const float* above = ring + column;  // sums of the slab before
  int output = 1 - size;               // the first row of outputs that a slab gives
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab, output += slab_rows) {
    float* const current = ring + samples.next();
    sum_rows(current, work);
    __syncthreads();
    const float* const sums = current + column;
    float total[slab_rows] = {};
#pragma unroll
    for (int r = 1 - size; r < slab_rows; ++r) {
      const float t = r < 0 ? above[(slab_rows + r) * L::pitch] : sums[r * L::pitch];
#pragma unroll
      for (int y = 0; y < slab_rows; ++y) {
        const int j = r - (y + 1 - size);
        if (j >= 0 && j < size) total[y] = multiply_add(work.column[j], t, total[y]);
      }
    }
    above = sums;
    if (to == nullptr) continue;
#pragma unroll
    for (int y = 0; y < slab_rows; ++y) total[y] = total[y] + work.offset;
    if (work.absolute) {
      asm volatile("");  // a branch, not instructions that all would wait for
#pragma unroll
      for (int y = 0; y < slab_rows; ++y) total[y] = total[y] < 0 ? -total[y] : total[y];
    }
    if (output >= 0 && output + slab_rows <= outputs) {
#pragma unroll
      for (int y = 0; y < slab_rows; ++y, to += dst.stride)
        __stcs(reinterpret_cast<float*>(to), total[y]);
    } else {
#pragma unroll
      for (int y = 0; y < slab_rows; ++y) {
        if (output + y < 0 || output + y >= outputs) continue;
        __stcs(reinterpret_cast<float*>(to), total[y]);
        to += dst.stride;
      }
    }
  }
}

template <int size>
class SeparableF32 final : public Convolver {
 public:
  explicit SeparableF32(const Plan& plan) {
    const Taps& taps = plan.terms[0];
    work_.sampling = sampling_of(plan);
    work_.offset = static_cast<float>(plan.finish.real_offset);
    work_.absolute = plan.finish.absolute;
    std::ranges::transform(taps.row, work_.row, [](double tap) { return static_cast<float>(tap); });
    std::ranges::transform(taps.column, work_.column,
                           [](double tap) { return static_cast<float>(tap); });
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "shared memory for cuda-separable-f32");
    multiprocessors_ = multiprocessors();
  }

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    work_.slabs = best_steps(pairs, tile_width, slab_rows, size - 1, multiprocessors_);
    const int tile_height = work_.slabs * slab_rows - (size - 1);
    for_each_batch(pairs, tile_width, tile_height, [&](const Batch& batch, int blocks) {
      work_.batch = batch;
      launch("cuda-separable-f32", kernel, blocks, dim3(threads), shared_bytes, stream, work_);
    });
  }

 private:
  static constexpr auto kernel = separable_f32_kernel<size>;
  static constexpr int shared_bytes = Layout<size>::Samples::bytes;
  Work<size> work_{};
  int multiprocessors_;
};

template <int size>
std::unique_ptr<Convolver> make_sized(const Plan& plan) {
  if constexpr (size < largest)
    if (plan.terms[0].width > size) return make_sized<size + 2>(plan);
  return std::make_unique<SeparableF32<size>>(plan);
}

}  // namespace

// The taps must fill the square: where they do not, added zeros could be seen, because a sample may
// be infinite.
bool supports_separable_f32(const Plan& plan) {
  if (plan.sample.storage != Storage::f32 || !supports_separable(plan) || plan.terms.size() != 1 ||
      plan.finish.combine != Combine::linear)
    return false;
  const Taps& t = plan.terms[0];
  return t.width == t.height && t.width % 2 == 1 && t.width >= 3 && t.width <= largest &&
         t.anchor_x == t.width / 2 && t.anchor_y == t.height / 2;
}

std::unique_ptr<Convolver> make_separable_f32(const Plan& plan, int) { return make_sized<3>(plan); }

}  // namespace vidconv::cuda
