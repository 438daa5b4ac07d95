// The variant for plans over columns, rows and frames: lines of all planes' rows, sample by sample.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/time/conv_volume.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/simd/arithmetic_store-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/time/conv_volume_plan.h"
#include "kernels/cpu/time/time_values-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {
namespace conv_volume {

template <class Lane>
constexpr int vectors = 4;

// Returns the values that count for those of another frame.
template <class D>
HWY_INLINE hn::VFromD<D> near(D, hn::VFromD<D> there, hn::VFromD<D> centre, hn::VFromD<D> most) {
  const auto apart =
      hn::IfThenElse(hn::Lt(there, centre), hn::Sub(centre, there), hn::Sub(there, centre));
  return hn::IfThenElse(hn::Gt(apart, most), centre, there);
}

// Writes whole vectors: there is room behind the last sample.
template <class T, class Lane>
void make_samples(const ConvVolumePlan& plan, const VolumeSource& source, const VolumeLine& line) {
  constexpr hn::ScalableTag<Lane> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
  const int shift = plan.plan.sample.shift;
  const bool sums = !plan.frame_taps.empty();
  const auto tap = hn::Set(d, static_cast<Lane>(source.tap));
  const auto most = hn::Set(d, static_cast<Lane>(plan.plan.over_time->threshold));
  Lane* const to = static_cast<Lane*>(line.first);
  HWY_ALIGN T copies[2][lanes] = {};
  const auto samples = [&](const std::byte* row, int x, T* copy) HWY_ATTR {
    const T* from = reinterpret_cast<const T*>(row) + std::ptrdiff_t{x} * source.step;
    if (source.step == 1 && x + lanes <= line.width) return values(d, from, shift);
    for (int i = 0; i < std::min(lanes, line.width - x); ++i)
      copy[i] = from[std::ptrdiff_t{i} * source.step];
    return values(d, static_cast<const T*>(copy), shift);
  };
  for (int x = 0; x < line.width; x += lanes) {
    auto value = samples(source.from, x, copies[0]);
    if (source.centre != nullptr)
      value = near(d, value, samples(source.centre, x, copies[1]), most);
    if (sums) value = hn::Mul(value, tap);
    if (source.add) value = hn::Add(value, hn::LoadU(d, to + x));
    hn::StoreU(value, d, to + x);
  }
}

// Continues a line beyond its ends. `outside`: the line itself is beyond the picture.
template <class Lane>
void continue_line(const ConvVolumePlan& plan, bool outside, const VolumeLine& line) {
  const int right = plan.width - 1 - plan.left;
  Lane* const to = static_cast<Lane*>(line.first);
  const Lane beyond = static_cast<Lane>(plan.plan.outside) * static_cast<Lane>(line.gain);
  const auto at = [&](int x) {
    const int there = outside ? -1 : border_index(plan.plan.border, x, line.width);
    return there < 0 ? beyond : to[there];
  };
  if (outside) std::fill(to, to + line.width, beyond);
  for (int x = -plan.left; x < 0; ++x) to[x] = at(x);
  for (int x = line.width; x < line.width + right; ++x) to[x] = at(x);
}

template <class T, class Lane>
void make_results(const ConvVolumePlan& plan, const std::vector<Lane>& taps, const VolumeRow& row) {
  constexpr hn::ScalableTag<Lane> d;
  using V = hn::VFromD<decltype(d)>;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(d)), block = vectors<Lane> * lanes;
  const int count = plan.planes * plan.rows;
  for_blocks<block>(false, row.width, [&](StoreWay way, int begin, int end) HWY_ATTR {
    for (int x = begin; x < end; x += block) {
      V sums[vectors<Lane>];
      unrolled<0, vectors<Lane>>([&](auto u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      const Lane* tap = taps.data();
      for (int j = 0; j < count; ++j) {
        const Lane* from = static_cast<const Lane*>(row.lines[j]) + x - plan.left;
        V of_row[vectors<Lane>];
        unrolled<0, vectors<Lane>>([&](auto u) VIDCONV_LAMBDA { of_row[u] = hn::Zero(d); });
        for (int i = 0; i < plan.width; ++i, ++from, ++tap) {
          const V factor = hn::Set(d, *tap);
          unrolled<0, vectors<Lane>>([&](auto u) VIDCONV_LAMBDA {
            of_row[u] = multiply_add(d, factor, hn::LoadU(d, from + u * lanes), of_row[u]);
          });
        }
        unrolled<0, vectors<Lane>>([&](auto u)
                                       VIDCONV_LAMBDA { sums[u] = hn::Add(sums[u], of_row[u]); });
      }
      store_lanes(way, d, plan.plan.finish, sums, plan.plan.sample.shift,
                  reinterpret_cast<T*>(row.out), x, end);
    }
  });
}

// Calls work(sample, lane) with values of the plan's types.
template <class Work>
void with_types(const Plan& plan, const Work& work) {
  const auto with_lane = [&](auto sample) {
    if (plan.arith == Arith::float64) return work(sample, double{});
    if constexpr (!std::is_same_v<decltype(sample), float>)
      if (plan.arith == Arith::int32) return work(sample, std::int32_t{});
    return work(sample, float{});
  };
  switch (plan.sample.storage) {
    case Storage::u8:
      return with_lane(std::uint8_t{});
    case Storage::u16:
      return with_lane(std::uint16_t{});
    case Storage::f32:
      return with_lane(float{});
  }
}

}  // namespace conv_volume

void make_volume_samples(const ConvVolumePlan& plan, const VolumeSource& source,
                         const VolumeLine& line) {
  conv_volume::with_types(plan.plan, [&](auto sample, auto lane) {
    conv_volume::make_samples<decltype(sample), decltype(lane)>(plan, source, line);
  });
}

void continue_volume_line(const ConvVolumePlan& plan, bool outside, const VolumeLine& line) {
  conv_volume::with_types(plan.plan, [&](auto, auto lane) {
    conv_volume::continue_line<decltype(lane)>(plan, outside, line);
  });
}

void make_volume_row(const ConvVolumePlan& plan, const VolumeRow& row) {
  note_used_simd(HWY_TARGET);
  conv_volume::with_types(plan.plan, [&](auto sample, auto lane) {
    using Lane = decltype(lane);
    if constexpr (std::is_same_v<Lane, double>)
      conv_volume::make_results<decltype(sample)>(plan, plan.taps, row);
    else if constexpr (std::is_same_v<Lane, float>)
      conv_volume::make_results<decltype(sample)>(plan, plan.float_taps, row);
    else
      conv_volume::make_results<decltype(sample)>(plan, plan.int32_taps, row);
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/base/aligned_array.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/time_convolver.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
namespace {

HWY_EXPORT(make_volume_samples);
HWY_EXPORT(continue_volume_line);
HWY_EXPORT(make_volume_row);

class ConvVolume final : public TimeConvolver {
 public:
  ConvVolume(const Plan& plan, int threads)
      : TimeConvolver(plan, threads),
        volume_(plan),
        gain_(std::accumulate(volume_.frame_taps.begin(), volume_.frame_taps.end(), 0)),
        lane_(plan.arith == Arith::float64 ? sizeof(double) : sizeof(float)),
        pool_(shared_thread_pool(threads)),
        scratch_(static_cast<std::size_t>(pool_->threads())) {}

 private:
  // The lines of one thread: as many as a plane of taps has rows, for each plane.
  struct Scratch {
    AlignedArray<std::byte> lines;
    std::vector<const void*> of_row;
    std::vector<std::byte> row;
  };
  // Blocks of samples end here, whatever the vectors' size; lines have room for the last one.
  static constexpr int block = 128;

  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override {
    return std::make_unique<ConvVolume>(plan, threads_);
  }

  void run_group(const Group& group) override {
    const BytePlane& dst = group.pairs.front().dst;
    if (dst.width == 0) return;
    const std::ptrdiff_t before = (volume_.left + block - 1) / block * block;
    const std::ptrdiff_t pitch =
        before + (dst.width + volume_.width + block - 1) / block * block + block;
    const int bands = std::min(dst.height, 4 * pool_->threads());
    const double nanoseconds = 0.1 * static_cast<double>(volume_.taps.size()) * dst.width *
                               static_cast<double>(dst.height) *
                               static_cast<double>(group.pairs.size());
    pool_->run(
        bands,
        [&](int band, int thread) {
          Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
          const int lines = volume_.planes * volume_.rows;
          scratch.lines.reserve(pitch * lines * static_cast<std::ptrdiff_t>(lane_));
          scratch.of_row.resize(static_cast<std::size_t>(lines));
          const auto edge = [&](int b) {
            return static_cast<int>(std::int64_t{dst.height} * b / bands);
          };
          for (const PlanePair& pair : group.pairs)
            run_band(group, pair, {edge(band), edge(band + 1)}, scratch, before, pitch);
        },
        worth_threads(pool_->threads(), nanoseconds));
  }

  void run_band(const Group& group, const PlanePair& pair, RowRange rows, Scratch& scratch,
                std::ptrdiff_t before, std::ptrdiff_t pitch) const {
    const int r = volume_.rows;
    const auto line = [&](int plane, int y) {
      const int slot =
          plane * r + ((y % r) + r) % r;  // rows above the picture have numbers below 0
      return scratch.lines.get() + (pitch * slot + before) * static_cast<std::ptrdiff_t>(lane_);
    };
    const auto read = [&](int y) {
      for (int p = 0; p < volume_.planes; ++p) make_line(group, pair, p, y, line(p, y));
    };
    for (int y = rows.first - volume_.up; y < rows.first - volume_.up + r - 1; ++y) read(y);
    for (int y = rows.first; y < rows.last; ++y) {
      read(y - volume_.up + r - 1);
      for (int p = 0; p < volume_.planes; ++p)
        for (int j = 0; j < r; ++j)
          scratch.of_row[static_cast<std::size_t>(p * r + j)] = line(p, y - volume_.up + j);
      write_row(pair, y, scratch);
    }
  }

  // Makes the line of a row, which may lie beyond the picture's edges, for one plane of taps.
  void make_line(const Group& group, const PlanePair& pair, int plane, int y,
                 std::byte* first) const {
    const bool product = !volume_.frame_taps.empty();
    const VolumeLine line{.first = first, .width = pair.src.width, .gain = product ? gain_ : 1};
    const int row = border_index(plan_.border, y, pair.src.height);
    const std::ptrdiff_t beside = pair.src.data - group.pairs.front().src.data;
    const std::byte* const centre =
        plan_.over_time->threshold < 0 || row < 0 ? nullptr : group.here.row(row) + beside;
    const auto add = [&](std::size_t frame, std::int32_t tap, bool to_others) {
      HWY_DYNAMIC_DISPATCH(make_volume_samples)
      (volume_,
       {.from = group.taps[frame].row(row) + beside,
        .centre = centre,
        .step = pair.src.step,
        .tap = tap,
        .add = to_others},
       line);
    };
    if (row >= 0 && product)
      for (std::size_t k = 0; k < volume_.frame_taps.size(); ++k)
        add(k, volume_.frame_taps[k], k > 0);
    else if (row >= 0)
      add(static_cast<std::size_t>(plane), 1, false);
    HWY_DYNAMIC_DISPATCH(continue_volume_line)(volume_, row < 0, line);
  }

  void write_row(const PlanePair& pair, int y, Scratch& scratch) const {
    const BytePlane& dst = pair.dst;
    const auto size = static_cast<std::size_t>(plan_.sample.bytes());
    const bool direct = dst.step == 1;
    if (!direct) scratch.row.resize(size * static_cast<std::size_t>(dst.width));
    std::byte* const out = direct ? dst.row(y) : scratch.row.data();
    HWY_DYNAMIC_DISPATCH(make_volume_row)
    (volume_, {.lines = scratch.of_row.data(), .out = out, .width = dst.width});
    if (direct) return;
    for (int x = 0; x < dst.width; ++x)
      std::memcpy(
          dst.row(y) + size * static_cast<std::size_t>(x) * static_cast<std::size_t>(dst.step),
          out + size * static_cast<std::size_t>(x), size);
  }

  const ConvVolumePlan volume_;
  const std::int32_t gain_;
  const std::size_t lane_;  // bytes
  const std::shared_ptr<ThreadPool> pool_;
  std::vector<Scratch> scratch_;  // one per thread
};

}  // namespace

Prepared prepare_cpu_conv_volume(const Plan& plan, const CudaAbilities&) {
  if (plan.operation() != Operation::over_time || plan.plane_rows() == 0 ||
      !uses_simd(VIDCONV_LEVELS))
    return nullptr;
  return [plan](int threads) { return std::make_unique<ConvVolume>(plan, threads); };
}

}  // namespace vidconv
#endif  // HWY_ONCE
