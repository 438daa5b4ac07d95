#include "kernels/cpu/volume_reference.h"

#include "kernels/cpu/time_definition.h"

namespace vidconv {
namespace {

// Where a sample of a picture lies, in columns and rows.
struct Point {
  int x, y;
};

class VolumeReference final : public TimeDefinition<VolumeReference> {
 public:
  using TimeDefinition::TimeDefinition;

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
          out[std::ptrdiff_t{x} * pair.dst.step] = sample<Acc, T>(group, at, {x, y});
        }
      }
  }

 private:
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
        row = multiply_add(taps.dense[static_cast<std::size_t>(j * taps.width + i)],
                           near(there, at(group.here, place)), row);
      }
      sum += row;
    }
    return finished<T>(sum);
  }
};

}  // namespace

std::unique_ptr<TimeConvolver> make_volume_reference(const Plan& plan, int threads) {
  return std::make_unique<VolumeReference>(plan, threads);
}

}  // namespace vidconv
