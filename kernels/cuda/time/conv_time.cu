// cuda-conv-time: taps over frames. One kernel reads all frames of the window, each sample once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/convolver/packed.h"
#include "kernels/cuda/common/arith.cuh"
#include "kernels/cuda/common/batch.cuh"
#include "kernels/cuda/common/device_array.h"
#include "kernels/cuda/common/launch.cuh"
#include "kernels/cuda/common/output.cuh"
#include "kernels/cuda/time/gathered_time.h"
#include "kernels/cuda/time/time_pairs.cuh"
#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace conv_time_kernels {
namespace {

constexpr int lanes = 32, warps = 8;
constexpr int strip = 2;  // rows that a thread computes, one of each group of `warps`
constexpr int tile_height = warps * strip;
// A thread's samples: more of 8 bits would fill the registers, and leave room for few threads.
template <class T>
using Vector = std::conditional_t<sizeof(T) == 1, uint2, uint4>;
template <class T>
constexpr int columns = sizeof(Vector<T>) / sizeof(T);
template <class T>
constexpr int tile_width = lanes* columns<T>;

std::unique_ptr<TimeConvolver> make_of(const Plan& plan);

// `direct`: all frames are there, their rows lie alike, and vectors of them are aligned alike.
template <class Value, bool direct>
struct Work {
  Batch batch;  // sources are the planes of the filtered frame
  Finish finish;
  int shift, count;
  const Value* taps;  // in device memory
  Value threshold, outside;
  // Bytes from a plane of the filtered frame to that of each tap's frame, the same for all planes
  // of the batch; not_there: all samples are `outside`.
  std::ptrdiff_t apart[max_time_taps];
  // By how many bytes the rows of each tap's frame are further apart.
  struct Nothing {};
  std::conditional_t<direct, Nothing, int[max_time_taps]> skew;
};
// Every device takes so much as the parameters of a launch.
static_assert(sizeof(Work<double, false>) <= 4096);

// Returns sample i of a vector as the arithmetic's value.
template <class Value, class T>
__device__ inline Value value_of(T stored, int shift) {
  if constexpr (std::is_same_v<T, float>)
    return static_cast<Value>(stored);
  else if constexpr (std::is_same_v<Value, float>)
    return __uint_as_float(0x4b000000u | (unsigned{stored} >> shift)) - 0x1p23f;  // both are exact
  else
    return static_cast<Value>(static_cast<int>(unsigned{stored} >> shift));
}

template <class T>
__device__ inline void unpack(T* to, const Vector<T>& v) {
  const auto word = [&](int w) {
    if constexpr (sizeof(T) == 1)
      return w == 0 ? v.x : v.y;
    else
      return w == 0 ? v.x : w == 1 ? v.y : w == 2 ? v.z : v.w;
  };
#pragma unroll
  for (int i = 0; i < columns<T>; ++i) {
    constexpr int size = sizeof(T);
    if constexpr (std::is_same_v<T, float>)
      to[i] = __uint_as_float(word(i));
    else
      to[i] = static_cast<T>(word(i * size / 4) >> (8 * (i * size % 4)));
  }
}

// Loads a thread's samples as they are stored.
template <class T>
__device__ inline void load_stored(T* to, const std::byte* row, int x, int end, int step,
                                   bool vector) {
  const T* const from = reinterpret_cast<const T*>(row);
  if (vector) return unpack(to, __ldg(reinterpret_cast<const Vector<T>*>(from + x)));
#pragma unroll
  for (int i = 0; i < columns<T>; ++i)
    to[i] = x + i < end ? __ldg(from + std::ptrdiff_t{x + i} * step) : T{0};
}

// The sums of a thread's samples, and the filtered frame's where others count only near them.
template <class T, class Value, bool threshold>
struct Sums {
  static constexpr int n = columns<T>;
  Value sums[n] = {};
  Value here[threshold ? n : 1];

  __device__ void add(Value tap, const Value (&values)[n], Value most) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Value value = values[i];
      if constexpr (threshold) {
        const Value difference = value < here[i] ? here[i] - value : value - here[i];
        if (difference > most) value = here[i];
      }
      sums[i] = multiply_add(tap, value, sums[i]);
    }
  }
  __device__ void add(Value tap, const T (&stored)[n], int shift, Value most) {
    Value values[n];
#pragma unroll
    for (int i = 0; i < n; ++i) values[i] = value_of<Value>(stored[i], shift);
    add(tap, values, most);
  }
};

// Adds what all taps see at the samples from column x of a row on.
template <class T, class Value, bool direct, bool threshold>
__device__ inline void add_one_by_one(Sums<T, Value, threshold>& sums,
                                      const Work<Value, direct>& work, const std::byte* here, int y,
                                      int x, int end, int step, bool vectors) {
  constexpr int n = columns<T>;
#pragma unroll 1
  for (int k = 0; k < work.count; ++k) {
    const Value tap = __ldg(work.taps + k);
    if (!direct && work.apart[k] == not_there) {
      Value values[n];
#pragma unroll
      for (int i = 0; i < n; ++i) values[i] = work.outside;
      sums.add(tap, values, work.threshold);
      continue;
    }
    const std::byte* row = here + work.apart[k];
    if constexpr (!direct) row += std::ptrdiff_t{work.skew[k]} * y;
    // Rows of other frames may begin elsewhere.
    const bool vector = vectors && reinterpret_cast<std::uintptr_t>(row) % sizeof(Vector<T>) == 0;
    T stored[n];
    load_stored(stored, row, x, end, step, vector);
    sums.add(tap, stored, work.shift, work.threshold);
  }
}

template <class T, class Value, bool direct, bool threshold>
__global__ void __launch_bounds__(lanes* warps)
    time_kernel(const __grid_constant__ Work<Value, direct> work) {
  constexpr int n = columns<T>;
  constexpr int at_once = 4;  // frames whose samples are on their way
  const Tile tile = this_tile(work.batch, tile_width<T>, tile_height);
  let_next_kernel_start();
  wait_for_earlier_kernels();
  const Plane<const T> src = tile.pair.src.as<const T>();
  const Plane<T> dst = tile.pair.dst.as<T>();
  const int x = tile.x + static_cast<int>(threadIdx.x) * n;
  const int y = tile.y + static_cast<int>(threadIdx.y);
  if (x >= dst.width || y >= dst.height) return;
  const bool vectors = is_aligned(src, sizeof(Vector<T>)) && x + n <= dst.width;
  const int rows = min(strip, (dst.height - y + warps - 1) / warps);
  const auto here = [&](int i) {
    return reinterpret_cast<const std::byte*>(src.row(y + min(i, rows - 1) * warps));
  };

  Sums<T, Value, threshold> sums[strip];
  if constexpr (threshold) {
#pragma unroll
    for (int i = 0; i < strip; ++i) {
      T stored[n];
      load_stored(stored, here(i), x, dst.width, src.step, vectors);
#pragma unroll
      for (int c = 0; c < n; ++c) sums[i].here[c] = value_of<Value>(stored[c], work.shift);
    }
  }
  if (direct && vectors) {
    for (int k = 0; k < work.count; k += at_once) {
      Vector<T> vector[at_once][strip];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (k + j < work.count)
#pragma unroll
          for (int i = 0; i < strip; ++i)
            vector[j][i] = __ldg(reinterpret_cast<const Vector<T>*>(
                here(i) + work.apart[k + j] + x * static_cast<int>(sizeof(T))));
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (k + j < work.count) {
          const Value tap = __ldg(work.taps + k + j);
#pragma unroll
          for (int i = 0; i < strip; ++i) {
            T stored[n];
            unpack(stored, vector[j][i]);
            sums[i].add(tap, stored, work.shift, work.threshold);
          }
        }
    }
  } else {
#pragma unroll
    for (int i = 0; i < strip; ++i)
      add_one_by_one<T, Value, direct, threshold>(
          sums[i], work, here(i), y + min(i, rows - 1) * warps, x, dst.width, src.step, vectors);
  }

  const bool aligned = is_aligned(dst, sizeof(Vector<T>));
  with_finish(work.finish, [&](const Finish& f) {
#pragma unroll
    for (int i = 0; i < strip; ++i) {
      if (i >= rows) return;
      T codes[n];
#pragma unroll
      for (int c = 0; c < n; ++c) codes[c] = finish_response<T>(f, sums[i].sums[c]);
      store<n>(dst, x, y + i * warps, codes, work.shift, aligned);
    }
  });
}

template <class T, class Value>
class ConvTime final : public GatheredTime {
 public:
  explicit ConvTime(const Plan& plan) : GatheredTime(plan), taps_(values(plan)) {
    if constexpr (std::is_same_v<Value, std::int32_t>) pairs_work_ = pairs_work(plan);
  }

 private:
  static std::vector<Value> values(const Plan& plan) {
    std::vector<Value> taps;
    for (const double tap : plan.terms[0].dense) taps.push_back(static_cast<Value>(tap));
    return taps;
  }

  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override { return make_of(plan); }

  // Returns rows of whole pixels as one plane where all of their samples are filtered.
  std::vector<PlanePair> merged(std::span<const PlanePair> pairs) const override {
    std::vector<PlanePair> planes(pairs.begin(), pairs.end());
    if (pairs.size() < 2) return planes;
    const PixelLayout from = pixel_layout<T>(pairs, &PlanePair::src);
    const PixelLayout to = pixel_layout<T>(pairs, &PlanePair::dst);
    if (from.count != from.step || to.count != to.step || from.place != to.place) return planes;
    const auto widen = [&](auto& plane, std::byte* first) {
      plane.data = first;
      plane.width *= from.step;
      plane.step = 1;
    };
    planes.resize(1);
    widen(planes[0].src, from.first);
    widen(planes[0].dst, to.first);
    return planes;
  }

  void start(std::span<const PlanePair> pairs, const FramesApart& apart) override {
    if (!apart.direct)
      start<false>(pairs, apart);
    else if (takes_pairs(pairs))
      start_pairs(pairs, apart);
    else
      start<true>(pairs, apart);
  }

  bool takes_pairs(std::span<const PlanePair> pairs) const {
    return pairs_work_ && std::ranges::all_of(pairs, [](const PlanePair& pair) {
             return is_aligned(pair.src, 16) && is_aligned(pair.dst, 16);
           });
  }

  void start_pairs(std::span<const PlanePair> pairs, const FramesApart& apart) {
    if constexpr (std::is_same_v<Value, std::int32_t>)
      for_each_batch(pairs, pairs_lanes * vector_samples<T>, pairs_warps,
                     [&](const Batch& batch, int blocks) {
                       PairsWork work = *pairs_work_;
                       work.batch = batch;
                       std::ranges::copy(apart.bytes, work.apart);
                       launch("cuda-conv-time",
                              work.count <= 3   ? time_pairs_kernel<T, 3>
                              : work.count <= 5 ? time_pairs_kernel<T, 5>
                                                : time_pairs_kernel<T, 9>,
                              blocks, dim3(pairs_lanes, pairs_warps), 0, stream(), work);
                     });
  }

  template <bool direct>
  void start(std::span<const PlanePair> pairs, const FramesApart& apart) {
    const TimePlan& time = *plan_.over_time;
    for_each_batch(pairs, tile_width<T>, tile_height, [&](const Batch& batch, int blocks) {
      Work<Value, direct> work{.batch = batch,
                               .finish = plan_.finish,
                               .shift = plan_.sample.shift,
                               .count = static_cast<int>(apart.bytes.size()),
                               .taps = taps_.data(),
                               .threshold = static_cast<Value>(time.threshold),
                               .outside = static_cast<Value>(time.black),
                               .apart = {},
                               .skew = {}};
      std::ranges::copy(apart.bytes, work.apart);
      if constexpr (!direct) std::ranges::copy(apart.skew, work.skew);
      launch("cuda-conv-time",
             time.threshold >= 0 ? time_kernel<T, Value, direct, true>
                                 : time_kernel<T, Value, direct, false>,
             blocks, dim3(lanes, warps), 0, stream(), work);
    });
  }

  const DeviceArray<Value> taps_;
  std::optional<PairsWork> pairs_work_;
};

template <class T>
std::unique_ptr<TimeConvolver> make_for(const Plan& plan) {
  switch (plan.arith) {
    case Arith::int32:  // as integers: turning codes into floats takes longer than memory does
      if constexpr (!std::is_same_v<T, float>)
        return std::make_unique<ConvTime<T, std::int32_t>>(plan);
      break;
    case Arith::float32:
      return std::make_unique<ConvTime<T, float>>(plan);
    case Arith::float64:
      return std::make_unique<ConvTime<T, double>>(plan);
  }
  throw std::invalid_argument("unknown arithmetic");
}

std::unique_ptr<TimeConvolver> make_of(const Plan& plan) {
  switch (plan.sample.storage) {
    case Storage::u8:
      return make_for<std::uint8_t>(plan);
    case Storage::u16:
      return make_for<std::uint16_t>(plan);
    case Storage::f32:
      return make_for<float>(plan);
  }
  throw std::invalid_argument("unknown sample type");
}

}  // namespace
}  // namespace conv_time_kernels

std::unique_ptr<Convolver> make_conv_time(const Plan& plan, int) {
  return conv_time_kernels::make_of(plan);
}

}  // namespace vidconv::cuda
