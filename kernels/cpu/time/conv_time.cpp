// The variant for plans over time: rows of as many frames as there are taps, sample by sample; long
// means by sums that are carried from frame to frame.
#ifndef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/time/conv_time.cpp"
#endif
#include "kernels/cpu/simd/targets.h"
// In this order: targets.h decides what Highway offers.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/simd/arithmetic_store-inl.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/cpu/simd/sums16-inl.h"
#include "kernels/cpu/time/conv_time_plan.h"
#include "kernels/cpu/time/time_values-inl.h"

HWY_BEFORE_NAMESPACE();
VIDCONV_DOT_TARGET
namespace vidconv {
namespace HWY_NAMESPACE {
namespace conv_time {

// A block's samples of a row: where they lie, or for the rest of a row a copy with room behind.
template <int block, class T>
class BlockOf {
 public:
  HWY_INLINE BlockOf() {}

  HWY_INLINE const T* at(StoreWay way, const std::byte* row, int x, int end) {
    const T* from = reinterpret_cast<const T*>(row) + x;
    if (way != StoreWay::part) return from;
    std::copy_n(from, std::min(block, end - x), copy_);
    return copy_;
  }

 private:
  HWY_ALIGN T copy_[block];
};

// Vectors of 16-bit codes: of bytes the even and the odd ones, else one after the other.
template <class T>
class Codes {
 public:
  using D = hn::ScalableTag<std::uint16_t>;
  using V = hn::VFromD<D>;
  static constexpr D d{};
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(D())), block = 2 * lanes;

  HWY_INLINE Codes(const T* from, int shift) {
    if constexpr (sizeof(T) == 1) {
      const auto both = hn::BitCast(d, hn::LoadU(hn::Repartition<T, D>(), from));
      codes[0] = hn::And(both, hn::Set(d, 0xFF));
      codes[1] = hn::ShiftRight<8>(both);
    } else {
      codes[0] = hn::LoadU(d, from);
      codes[1] = hn::LoadU(d, from + lanes);
      if (shift != 0) {
        codes[0] = hn::ShiftRightSame(codes[0], shift);
        codes[1] = hn::ShiftRightSame(codes[1], shift);
      }
    }
  }

  // Takes the filtered frame's codes where these differ from them by more.
  HWY_INLINE void keep_near(const Codes& here, V most) {
    for (int i = 0; i < 2; ++i) {
      const V apart = hn::Sub(hn::Max(codes[i], here.codes[i]), hn::Min(codes[i], here.codes[i]));
      codes[i] = hn::IfThenElse(hn::Gt(apart, most), here.codes[i], codes[i]);
    }
  }

  V codes[2];
};

template <class T, bool absolute, bool threshold>
void make_row16(const ConvTimePlan& plan, const ConvTimeRow& row) {
  using Codes = Codes<T>;
  constexpr typename Codes::D d;
  const Codes16<absolute> last(*plan.sums16);
  const std::size_t count = plan.int32_taps.size();
  const int shift = plan.plan.sample.shift;
  const auto most =
      hn::Set(d, static_cast<std::uint16_t>(threshold ? plan.plan.over_time->threshold : 0));
  for_blocks<Codes::block>(row.stream, row.width, [&](StoreWay way, int begin, int end) HWY_ATTR {
    BlockOf<Codes::block, T> samples;
    for (int x = begin; x < end; x += Codes::block) {
      typename Codes::V sums[2] = {last.start(), last.start()};
      // Without a threshold the compiler leaves it out.
      const Codes here(samples.at(way, row.here, x, end), shift);
      for (std::size_t k = 0; k < count; ++k) {
        Codes from(samples.at(way, row.taps[k], x, end), shift);
        if constexpr (threshold) from.keep_near(here, most);
        const auto tap = hn::Set(d, static_cast<std::uint16_t>(plan.int32_taps[k]));
        sums[0] = hn::Add(sums[0], hn::Mul(from.codes[0], tap));
        sums[1] = hn::Add(sums[1], hn::Mul(from.codes[1], tap));
      }
      last.store(way, sums, x, reinterpret_cast<T*>(row.out), end);
    }
  });
}

template <class T, bool absolute>
void make_row_running(const ConvTimePlan& plan, const ConvTimeRow& row, const RunningRow& running) {
  using Codes = Codes<T>;
  constexpr typename Codes::D d;
  const Codes16<absolute> last(*plan.sums16);
  const std::size_t count = plan.int32_taps.size();
  const auto tap = hn::Set(d, static_cast<std::uint16_t>(plan.int32_taps[0]));
  const int shift = plan.plan.sample.shift;
  for_blocks<Codes::block>(row.stream, row.width, [&](StoreWay way, int begin, int end) HWY_ATTR {
    BlockOf<Codes::block, T> samples;
    for (int x = begin; x < end; x += Codes::block) {
      std::uint16_t* const kept = static_cast<std::uint16_t*>(running.sums) + x;
      typename Codes::V sums[2] = {hn::Zero(d), hn::Zero(d)};
      std::size_t k = 0;
      if (running.leaves != nullptr) {
        const Codes leaves(samples.at(way, running.leaves, x, end), shift);
        sums[0] = hn::Sub(hn::LoadU(d, kept), leaves.codes[0]);
        sums[1] = hn::Sub(hn::LoadU(d, kept + Codes::lanes), leaves.codes[1]);
        k = count - 1;
      }
      for (; k < count; ++k) {
        const Codes from(samples.at(way, row.taps[k], x, end), shift);
        sums[0] = hn::Add(sums[0], from.codes[0]);
        sums[1] = hn::Add(sums[1], from.codes[1]);
      }
      hn::StoreU(sums[0], d, kept);
      hn::StoreU(sums[1], d, kept + Codes::lanes);
      for (auto& sum : sums) sum = hn::Add(hn::Mul(sum, tap), last.start());
      last.store(way, sums, x, reinterpret_cast<T*>(row.out), end);
    }
  });
}

template <class T, class Lane, bool threshold>
void make_row_of(const ConvTimePlan& plan, const std::vector<Lane>& taps, const ConvTimeRow& row) {
  constexpr hn::ScalableTag<Lane> d;
  using V = hn::VFromD<decltype(d)>;
  constexpr int vectors = 4, lanes = static_cast<int>(hn::MaxLanes(d)), block = vectors * lanes;
  const int shift = plan.plan.sample.shift;
  const V most = hn::Set(d, static_cast<Lane>(plan.plan.over_time->threshold));
  for_blocks<block>(row.stream, row.width, [&](StoreWay way, int begin, int end) HWY_ATTR {
    BlockOf<block, T> samples;
    for (int x = begin; x < end; x += block) {
      V here[vectors], sums[vectors];
      if constexpr (threshold) {
        const T* from = samples.at(way, row.here, x, end);
        unrolled<0, vectors>([&](int u)
                                 VIDCONV_LAMBDA { here[u] = values(d, from + u * lanes, shift); });
      }
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      for (std::size_t k = 0; k < taps.size(); ++k) {
        const T* from = samples.at(way, row.taps[k], x, end);
        const V tap = hn::Set(d, taps[k]);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          V value = values(d, from + u * lanes, shift);
          if constexpr (threshold) {
            const V apart = hn::IfThenElse(hn::Lt(value, here[u]), hn::Sub(here[u], value),
                                           hn::Sub(value, here[u]));
            value = hn::IfThenElse(hn::Gt(apart, most), here[u], value);
          }
          sums[u] = multiply_add(d, tap, value, sums[u]);
        });
      }
      store_lanes(way, d, plan.plan.finish, sums, shift, reinterpret_cast<T*>(row.out), x, end);
    }
  });
}

template <class T>
void make_row_running32(const ConvTimePlan& plan, const ConvTimeRow& row,
                        const RunningRow& running) {
  constexpr hn::ScalableTag<std::int32_t> d;
  using V = hn::VFromD<decltype(d)>;
  constexpr int vectors = 4, lanes = static_cast<int>(hn::MaxLanes(d)), block = vectors * lanes;
  const int shift = plan.plan.sample.shift;
  const std::size_t count = plan.int32_taps.size();
  const V tap = hn::Set(d, plan.int32_taps[0]);
  for_blocks<block>(row.stream, row.width, [&](StoreWay way, int begin, int end) HWY_ATTR {
    BlockOf<block, T> samples;
    for (int x = begin; x < end; x += block) {
      std::int32_t* const kept = static_cast<std::int32_t*>(running.sums) + x;
      V sums[vectors];
      std::size_t k = 0;
      if (running.leaves != nullptr) {
        const T* from = samples.at(way, running.leaves, x, end);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          sums[u] = hn::Sub(hn::LoadU(d, kept + u * lanes), values(d, from + u * lanes, shift));
        });
        k = count - 1;
      } else {
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA { sums[u] = hn::Zero(d); });
      }
      for (; k < count; ++k) {
        const T* from = samples.at(way, row.taps[k], x, end);
        unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
          sums[u] = hn::Add(sums[u], values(d, from + u * lanes, shift));
        });
      }
      unrolled<0, vectors>([&](int u) VIDCONV_LAMBDA {
        hn::StoreU(sums[u], d, kept + u * lanes);
        sums[u] = hn::Mul(sums[u], tap);
      });
      store_lanes(way, d, plan.plan.finish, sums, shift, reinterpret_cast<T*>(row.out), x, end);
    }
  });
}

template <class T, class Lane>
void make_row_in(const ConvTimePlan& plan, const std::vector<Lane>& taps, const ConvTimeRow& row) {
  if (plan.plan.over_time->threshold >= 0)
    make_row_of<T, Lane, true>(plan, taps, row);
  else
    make_row_of<T, Lane, false>(plan, taps, row);
}

template <class T>
void make_row(const ConvTimePlan& plan, const ConvTimeRow& row, const RunningRow* running) {
  if constexpr (!std::is_same_v<T, float>) {
    if (plan.sums16) {
      const bool absolute = plan.sums16->absolute;
      if (running)
        return (absolute ? make_row_running<T, true> : make_row_running<T, false>)(plan, row,
                                                                                   *running);
      if (plan.plan.over_time->threshold >= 0)
        return (absolute ? make_row16<T, true, true> : make_row16<T, false, true>)(plan, row);
      return (absolute ? make_row16<T, true, false> : make_row16<T, false, false>)(plan, row);
    }
    if (running) return make_row_running32<T>(plan, row, *running);
    if (plan.plan.arith == Arith::int32)
      return make_row_in<T, std::int32_t>(plan, plan.int32_taps, row);
  }
  if (plan.plan.arith == Arith::float32)
    make_row_in<T, float>(plan, plan.float_taps, row);
  else
    make_row_in<T, double>(plan, plan.double_taps, row);
}

}  // namespace conv_time

// `running`: nullptr, or where sums are carried from frame to frame.
void run_conv_time(const ConvTimePlan& plan, const ConvTimeRow& row, const RunningRow* running) {
  note_used_simd(HWY_TARGET);
  switch (plan.plan.sample.storage) {
    case Storage::u8:
      return conv_time::make_row<std::uint8_t>(plan, row, running);
    case Storage::u16:
      return conv_time::make_row<std::uint16_t>(plan, row, running);
    case Storage::f32:
      return conv_time::make_row<float>(plan, row, nullptr);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace vidconv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstring>
#include <iterator>

#include "kernels/convolver/packed.h"
#include "kernels/convolver/thread_pool.h"
#include "kernels/convolver/time_convolver.h"
#include "kernels/convolver/worth.h"
#include "kernels/cpu/simd/streaming_stores.h"
#include "kernels/cpu/variants.h"

namespace vidconv {
namespace {

HWY_EXPORT(run_conv_time);

// From so many taps on, carrying sums is less to read and write than all frames.
constexpr std::size_t least_running = 8;

class ConvTime final : public TimeConvolver {
 public:
  ConvTime(const Plan& plan, int threads)
      : TimeConvolver(plan, threads),
        time_plan_(plan),
        pool_(shared_thread_pool(threads)),
        scratch_(static_cast<std::size_t>(pool_->threads())) {}

 private:
  // Sums of the planes of a call, by their place among the planes of the frame.
  struct Sums {
    Place place;
    int width = 0, height = 0;
    std::vector<std::int64_t> numbers;  // the frames in them
    std::vector<std::byte> rows;
  };

  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override {
    return std::make_unique<ConvTime>(plan, threads_);
  }

  void run_group(const Group& group) override {
    const int bytes = plan_.sample.bytes();
    const BytePlane& dst = group.pairs.front().dst;
    const PixelLayout from = layout(group.pairs, &PlanePair::src);
    const PixelLayout to = layout(group.pairs, &PlanePair::dst);
    const bool direct = whole(from) && whole(to) && from.place == to.place;
    const int samples = (dst.width - 1) * from.step + from.span();
    if (dst.width == 0) return;
    // Rows begin at place 0 of a pixel.
    const std::ptrdiff_t back = std::ptrdiff_t{from.place[0]} * bytes;
    Sums* const sums = sums_for(group, samples, dst.height);
    const Rows* const leaves = sums ? leaving(*sums, group) : nullptr;
    const bool stream = direct && goes_past_caches(dst);
    const std::size_t pitch = pitch_of(samples);
    const double nanoseconds = 0.05 * static_cast<double>(group.taps.size()) * bytes * samples *
                               static_cast<double>(dst.height);
    const int bands = std::min(dst.height, 4 * pool_->threads());
    pool_->run(
        bands,
        [&](int band, int thread) {
          Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
          scratch.taps.resize(group.taps.size());
          if (!direct) scratch.row.resize(static_cast<std::size_t>(samples) * sizeof(float));
          const auto edge = [&](int b) {
            return static_cast<int>(std::int64_t{dst.height} * b / bands);
          };
          for (int y = edge(band); y < edge(band + 1); ++y) {
            // Sums that are carried on need the frame that comes alone.
            for (std::size_t k = leaves ? group.taps.size() - 1 : 0; k < group.taps.size(); ++k)
              scratch.taps[k] = group.taps[k].row(y) - back;
            const ConvTimeRow row{.taps = scratch.taps.data(),
                                  .here = group.here.row(y) - back,
                                  .out = direct ? to.row(y) : scratch.row.data(),
                                  .width = samples,
                                  .stream = stream};
            if (sums) {
              const RunningRow running{
                  .sums = sums->rows.data() + pitch * static_cast<std::size_t>(y),
                  .leaves = leaves ? leaves->row(y) - back : nullptr};
              HWY_DYNAMIC_DISPATCH(run_conv_time)(time_plan_, row, &running);
            } else {
              HWY_DYNAMIC_DISPATCH(run_conv_time)(time_plan_, row, nullptr);
            }
            if (!direct) spread(scratch.row.data(), from, to, dst.width, to.row(y));
          }
        },
        worth_threads(pool_->threads(), nanoseconds));
  }

  // Returns the bytes of a row of sums.
  std::size_t pitch_of(int samples) const {
    return running_sums(samples) *
           (time_plan_.sums16 ? sizeof(std::uint16_t) : sizeof(std::int32_t));
  }

  PixelLayout layout(std::span<const PlanePair> pairs, auto side) const {
    return plan_.sample.bytes() == 1   ? pixel_layout<std::uint8_t>(pairs, side)
           : plan_.sample.bytes() == 2 ? pixel_layout<std::uint16_t>(pairs, side)
                                       : pixel_layout<float>(pairs, side);
  }
  static bool whole(const PixelLayout& layout) { return layout.count == layout.step; }

  // Copies the samples of all components from a row of whole pixels.
  void spread(const std::byte* row, const PixelLayout& from, const PixelLayout& to, int width,
              std::byte* out) const {
    const auto size = static_cast<std::size_t>(plan_.sample.bytes());
    for (int i = 0; i < from.count; ++i) {
      const std::byte* in =
          row + size * static_cast<std::size_t>(from.place[static_cast<std::size_t>(i)]);
      std::byte* at = out + size * static_cast<std::size_t>(to.place[static_cast<std::size_t>(i)]);
      for (int x = 0; x < width; ++x) {
        std::memcpy(at, in, size);
        in += size * static_cast<std::size_t>(from.step);
        at += size * static_cast<std::size_t>(to.step);
      }
    }
  }

  // Returns where to carry sums; nullptr where each frame's are made anew.
  Sums* sums_for(const Group& group, int samples, int height) {
    const bool carried = plan_.arith == Arith::int32 && plan_.over_time->threshold < 0 &&
                         time_plan_.equal && group.frames.size() >= least_running;
    if (!carried) return nullptr;
    for (const TimeFrame& frame : group.frames)
      if (frame.number < 0) return nullptr;
    auto known = std::ranges::find_if(sums_, [&](const Sums& sums) {
      return sums.place == group.place && sums.width == samples && sums.height == height;
    });
    if (known == sums_.end()) {
      if (sums_.size() >= most_sums) sums_.clear();
      sums_.push_back(
          {.place = group.place, .width = samples, .height = height, .numbers = {}, .rows = {}});
      known = std::prev(sums_.end());
      known->rows.resize(pitch_of(samples) * static_cast<std::size_t>(height));
    }
    return &*known;
  }

  // Returns the rows of the frame that leaves the window, if the sums are those of the frame
  // before; notes that they are of this window from now on.
  static const Rows* leaving(Sums& sums, const Group& group) {
    const std::span<const TimeFrame> frames = group.frames;
    bool next = sums.numbers.size() == frames.size();
    for (std::size_t k = 0; next && k + 1 < frames.size(); ++k)
      next = sums.numbers[k + 1] == frames[k].number;
    // The border may repeat the frame that leaves: then it is still in the window.
    next = next && (group.before_number == sums.numbers[0] || frames[0].number == sums.numbers[0]);
    const bool stays = next && frames[0].number == sums.numbers[0];
    sums.numbers.clear();
    for (const TimeFrame& frame : frames) sums.numbers.push_back(frame.number);
    return !next ? nullptr : stays ? group.taps.data() : &group.before;
  }

  struct Scratch {
    std::vector<const std::byte*> taps;
    std::vector<std::byte> row;
  };
  static constexpr std::size_t most_sums = 16;  // planes, or fields of them

  const ConvTimePlan time_plan_;
  const std::shared_ptr<ThreadPool> pool_;
  std::vector<Scratch> scratch_;  // one per thread
  std::vector<Sums> sums_;
};

}  // namespace

Prepared prepare_cpu_conv_time(const Plan& plan, const CudaAbilities&) {
  if (plan.operation() != Operation::over_time || plan.plane_rows() > 0 ||
      !uses_simd(VIDCONV_LEVELS))
    return nullptr;
  return [plan](int threads) { return std::make_unique<ConvTime>(plan, threads); };
}

}  // namespace vidconv
#endif  // HWY_ONCE
