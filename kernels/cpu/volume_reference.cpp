#include "kernels/cpu/volume_reference.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace vidconv {
namespace {

// Where a sample of a picture lies, in columns and rows.
struct Point {
  int x, y;
};

class VolumeReference final : public TimeConvolver {
 public:
  VolumeReference(const Plan& plan, int threads) : TimeConvolver(plan, threads) {}

 private:
  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override {
    return std::make_unique<VolumeReference>(plan, threads_);
  }

  void run_group(const Group& group) override {
    switch (plan_.arith) {
      case Arith::int32:
        return with_arith<std::int32_t>(group);
      case Arith::float32:
        return with_arith<float>(group);
      case Arith::float64:
        return with_arith<double>(group);
    }
  }

  // Acc is the arithmetic, T the sample type.
  template <class Acc>
  void with_arith(const Group& group) const {
    switch (plan_.sample.storage) {
      case Storage::u8:
        return compute<Acc, std::uint8_t>(group);
      case Storage::u16:
        return compute<Acc, std::uint16_t>(group);
      case Storage::f32:
        return compute<Acc, float>(group);
    }
  }

  template <class Acc, class T>
  void compute(const Group& group) const {
    const int height = group.pairs.front().dst.height;
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (int y = 0; y < height; ++y)
      for (const PlanePair& pair : group.pairs) {
        const std::ptrdiff_t beside = pair.src.data - group.pairs.front().src.data;
        T* const out = pair.dst.as<T>().row(y);
        for (int x = 0; x < pair.dst.width; ++x) {
          // The sample of a frame in this place; beyond the edges that of the border.
          const auto at = [&](const Rows& frame, Point place) {
            const int column = border_index(plan_.border, place.x, pair.src.width);
            const int row = border_index(plan_.border, place.y, pair.src.height);
            if (column < 0 || row < 0) return static_cast<Acc>(plan_.outside);
            const T* samples = reinterpret_cast<const T*>(frame.row(row) + beside);
            return value<Acc>(samples[std::ptrdiff_t{column} * pair.src.step]);
          };
          const T code = sample<Acc, T>(group, at, {x, y});
          if constexpr (std::is_same_v<T, float>)
            out[std::ptrdiff_t{x} * pair.dst.step] = code;
          else
            out[std::ptrdiff_t{x} * pair.dst.step] = static_cast<T>(code << plan_.sample.shift);
        }
      }
  }

  template <class Acc, class T>
  T sample(const Group& group, const auto& at, Point here) const {
    const Taps& taps = plan_.terms[0];
    const int rows = plan_.plane_rows();
    Acc sum = 0;
    for (int j = 0; j < taps.height; ++j) {
      Acc row = 0;
      for (int i = 0; i < taps.width; ++i) {
        const Point place{here.x + i - taps.anchor_x, here.y + j % rows - taps.anchor_y % rows};
        const Acc there = at(group.taps[static_cast<std::size_t>(j / rows)], place);
        row = add(taps.dense[static_cast<std::size_t>(j * taps.width + i)],
                  near(there, at(group.here, place)), row);
      }
      sum += row;
    }
    Combined<Acc> combined;
    combined.first(plan_.finish, sum);
    return combined.template finish<T>(plan_.finish);
  }

  template <class Acc, class T>
  Acc value(T stored) const {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<Acc>(stored);
    else
      return static_cast<Acc>(stored >> plan_.sample.shift);
  }
  // Returns the value that counts for one in another frame.
  template <class Acc>
  Acc near(Acc there, Acc centre) const {
    const double most = plan_.over_time->threshold;
    const Acc apart = there < centre ? centre - there : there - centre;
    return most >= 0 && apart > static_cast<Acc>(most) ? centre : there;
  }
  template <class Acc>
  static Acc add(double tap, Acc x, Acc sum) {
    if constexpr (std::is_same_v<Acc, std::int32_t>)
      return static_cast<Acc>(tap) * x + sum;
    else
      return std::fma(static_cast<Acc>(tap), x, sum);
  }
};

}  // namespace

std::unique_ptr<TimeConvolver> make_volume_reference(const Plan& plan, int threads) {
  return std::make_unique<VolumeReference>(plan, threads);
}

}  // namespace vidconv
