// cuda-conv-volume: taps over columns, rows and frames. Samples pass through shared memory as the
// arithmetic's values, a frame at a time; of a product they are sums over all frames.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/tile.cuh"
#include "kernels/cuda/time/gathered_time.h"
#include "kernels/cuda/variants.h"
#include "kernels/plan/finish.h"
#include "kernels/plan/volume_taps.h"

namespace vidconv::cuda {
namespace conv_volume_kernels {
namespace {

constexpr int lanes = 32, most_warps = 8;
constexpr int strip = 4;  // rows that a thread computes
// The columns that a thread computes are `lanes` apart.
template <class Value>
constexpr int columns = 16 / static_cast<int>(sizeof(Value));
template <class Value>
constexpr int tile_width = lanes* columns<Value>;
constexpr int shared_bytes = 48 * 1024;  // every device gives a block so many by default

std::unique_ptr<TimeConvolver> make_of(const Plan& plan);

template <class Arith>
struct Work {
  using Value = typename Arith::Value;
  Batch batch;  // sources are the planes of the filtered frame
  Finish finish;
  BorderMode border;
  int shift;
  // Planes of taps, their rows and columns, and how many of these lie before the anchor.
  int planes, rows, width, up, left;
  int frames;                           // each sample in shared memory is a sum of so many
  const Value* taps;                    // in device memory: plane by plane, row by row
  const Value* of_frames;               // factors of the frames that are added up
  int rows_at_once;                     // rows of a plane of taps in shared memory at once
  int pitch;                            // samples in a row of shared memory
  Value outside;                        // the sum of frames beyond the edges
  Value black;                          // a sample of a frame that is not there
  typename Arith::Response threshold;   // below 0: none
  std::ptrdiff_t apart[max_time_taps];  // as in FramesApart
  int skew[max_time_taps];
};
// Every device takes so much as the parameters of a launch.
static_assert(sizeof(Work<OrderedDouble>) <= 4096);

template <class Value, class T>
__device__ inline Value value_of(T stored, int shift) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<Value>(stored);
  else
    return static_cast<Value>(stored >> shift);
}

// Fills a row of shared memory, whose first sample lies at (x, y), with those of the frames from
// `first` on, added up. The lanes of a warp share it.
template <class T, class Arith>
__device__ inline void load_row(typename Arith::Value* row, const Work<Arith>& work,
                                const Plane<const T>& src, int first, int x, int y) {
  using Value = typename Arith::Value;
  const int v = border_index(work.border, y, src.height);
  const auto* const here = reinterpret_cast<const std::byte*>(src.row(max(v, 0)));
  const auto read = [&](const std::byte* from, int u) {
    const T stored = __ldg(reinterpret_cast<const T*>(from) + std::ptrdiff_t{u} * src.step);
    return value_of<Value>(stored, work.shift);
  };
  const auto there = [&](int k, int u) {
    if (work.apart[k] == not_there) return work.black;
    return read(here + work.apart[k] + std::ptrdiff_t{work.skew[k]} * v, u);
  };
  const auto near = [&](Value value, int u) {
    if (work.threshold < 0) return value;
    const Value centre = read(here, u);
    const Value apart = value < centre ? centre - value : value - centre;
    return apart > static_cast<Value>(work.threshold) ? centre : value;
  };
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < work.pitch; i += lanes) {
    const int u = border_index(work.border, x + i, src.width);
    Value sum = 0;
    if (u < 0 || v < 0)
      sum = work.outside;
    else if (work.frames == 1)
      sum = near(there(first, u), u);
    else
      for (int k = 0; k < work.frames; ++k)
        sum = multiply_add(__ldg(work.of_frames + k), near(there(k, u), u), sum);
    row[i] = sum;
  }
}

// Adds one thread's products of `rows` rows of taps: sums[y][x] grows by the taps of row j times
// the samples of row y + j.
template <class Arith, class Value, int n>
__device__ inline void accumulate(Value (&sums)[strip][n], const Value* samples, int pitch,
                                  const Value* taps, int width, int rows) {
  for (int r = 0; r < strip + rows - 1; ++r, samples += pitch) {
    Value chain[strip][n] = {};  // this row's sums
    auto& into = *(Arith::ordered ? &chain : &sums);
    const auto apply = [&](auto all_inside) {
      for (int i = 0; i < width; ++i) {
        Value sample[n];
#pragma unroll
        for (int x = 0; x < n; ++x) sample[x] = samples[i + x * lanes];
#pragma unroll
        for (int y = 0; y < strip; ++y) {
          const int j = r - y;
          if (!all_inside && (j < 0 || j >= rows)) continue;
          const Value tap = taps[j * width + i];
#pragma unroll
          for (int x = 0; x < n; ++x) into[y][x] = multiply_add(tap, sample[x], into[y][x]);
        }
      }
    };
    if (r >= strip - 1 && r < rows)
      apply(std::true_type{});
    else
      apply(std::false_type{});
    if constexpr (Arith::ordered) {
#pragma unroll
      for (int y = 0; y < strip; ++y)
        if (r - y >= 0 && r - y < rows)
#pragma unroll
          for (int x = 0; x < n; ++x) sums[y][x] = add(sums[y][x], chain[y][x]);
    }
  }
}

template <class T, class Arith>
__global__ void __launch_bounds__(lanes* most_warps)
    volume_kernel(const __grid_constant__ Work<Arith> work) {
  using Value = typename Arith::Value;
  constexpr int n = columns<Value>;
  extern __shared__ uint4 shared[];
  Value* const samples = reinterpret_cast<Value*>(shared);
  const int warps = static_cast<int>(blockDim.y), tile_height = warps * strip;
  const Tile tile = this_tile(work.batch, tile_width<Value>, tile_height);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = tile.pair.src.as<const T>();
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int first_row = static_cast<int>(threadIdx.y) * strip;

  Value sums[strip][n] = {};
  for (int plane = 0; plane < work.planes; ++plane)
    for (int j = 0; j < work.rows; j += work.rows_at_once) {
      const int rows = min(work.rows_at_once, work.rows - j);
      const int tile_rows = tile_height + rows - 1;
      Value* const taps = samples + tile_rows * work.pitch;
      __syncthreads();  // all threads are done with what was loaded before
      for (int row = static_cast<int>(threadIdx.y); row < tile_rows; row += warps)
        load_row(samples + row * work.pitch, work, src, plane, tile.x - work.left,
                 tile.y - work.up + j + row);
      const Value* const from = work.taps + (plane * work.rows + j) * work.width;
      for (int i = thread_index(); i < rows * work.width; i += lanes * warps)
        taps[i] = __ldg(from + i);
      __syncthreads();
      accumulate<Arith>(sums, samples + first_row * work.pitch + threadIdx.x, work.pitch, taps,
                        work.width, rows);
    }

#pragma unroll
  for (int y = 0; y < strip; ++y)
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const int x = tile.x + static_cast<int>(threadIdx.x) + i * lanes;
      const int row = tile.y + first_row + y;
      if (x >= dst.width || row >= dst.height) continue;
      const T code = finish_response<T>(work.finish, to_response<Arith>(sums[y][i]));
      T* const to = dst.row(row) + std::ptrdiff_t{x} * dst.step;
      if constexpr (std::is_same_v<T, float>)
        *to = code;
      else
        *to = static_cast<T>(code << work.shift);
    }
}

template <class T, class Arith>
class ConvVolume final : public GatheredTime {
  using Value = typename Arith::Value;

 public:
  explicit ConvVolume(const Plan& plan) : GatheredTime(plan), volume_(plan) {
    constexpr int size = sizeof(Value);
    pitch_ = tile_width<Value> + volume_.width - 1;
    const auto bytes = [&](int rows) {
      return ((warps_ * strip + rows - 1) * pitch_ + rows * volume_.width) * size;
    };
    while (bytes(1) > shared_bytes) warps_ /= 2;
    while (rows_at_once_ < volume_.rows && bytes(rows_at_once_ + 1) <= shared_bytes)
      ++rows_at_once_;
    shared_bytes_ = bytes(rows_at_once_);
  }

 private:
  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override { return make_of(plan); }

  static std::vector<Value> frame_taps(const VolumeTaps& volume) {
    if (volume.frame_taps.empty()) return {1};
    return {volume.frame_taps.begin(), volume.frame_taps.end()};
  }

  void start(std::span<const PlanePair> pairs, const FramesApart& apart) override {
    const std::vector<Value> factors = frame_taps(volume_);
    Value gain = 0;
    for (const Value factor : factors) gain += factor;
    for_each_batch(pairs, tile_width<Value>, warps_ * strip, [&](const Batch& batch, int blocks) {
      Work<Arith> work{
          .batch = batch,
          .finish = plan_.finish,
          .border = plan_.border,
          .shift = plan_.sample.shift,
          .planes = volume_.planes,
          .rows = volume_.rows,
          .width = volume_.width,
          .up = volume_.up,
          .left = volume_.left,
          .frames = static_cast<int>(factors.size()),
          .taps = taps_.data(),
          .of_frames = of_frames_.data(),
          .rows_at_once = rows_at_once_,
          .pitch = pitch_,
          .outside = static_cast<Value>(plan_.outside) * gain,
          .black = static_cast<Value>(plan_.over_time->black),
          .threshold = static_cast<typename Arith::Response>(plan_.over_time->threshold),
          .apart = {},
          .skew = {}};
      std::ranges::copy(apart.bytes, work.apart);
      std::ranges::copy(apart.skew, work.skew);
      launch("cuda-conv-volume", volume_kernel<T, Arith>, blocks,
             dim3(lanes, static_cast<unsigned>(warps_)), shared_bytes_, stream(), work);
    });
  }

  const VolumeTaps volume_;
  const DeviceArray<Value> taps_{std::vector<Value>(volume_.taps.begin(), volume_.taps.end())};
  const DeviceArray<Value> of_frames_{frame_taps(volume_)};
  int pitch_ = 0, warps_ = most_warps, rows_at_once_ = 1, shared_bytes_ = 0;
};

std::unique_ptr<TimeConvolver> make_of(const Plan& plan) {
  return with_types(plan, [&]<class T, class Arith>() -> std::unique_ptr<TimeConvolver> {
    return std::make_unique<ConvVolume<T, Arith>>(plan);
  });
}

}  // namespace
}  // namespace conv_volume_kernels

std::unique_ptr<Convolver> make_conv_volume(const Plan& plan, int) {
  return conv_volume_kernels::make_of(plan);
}

}  // namespace vidconv::cuda
