#include "kernels/cpu/time_reference.h"

#include "kernels/cpu/time_definition.h"
#include "kernels/cpu/volume_reference.h"

namespace vidconv {
namespace {

class TimeReference final : public TimeDefinition<TimeReference> {
 public:
  using TimeDefinition::TimeDefinition;

  template <class Acc, class T>
  void compute(const Group& group) const {
    const int height = group.pairs.front().dst.height;
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (int y = 0; y < height; ++y) {
      for (const PlanePair& pair : group.pairs) {
        const std::ptrdiff_t beside = pair.src.data - group.pairs.front().src.data;
        const auto samples = [&](const Rows& rows) {
          return reinterpret_cast<const T*>(rows.row(y) + beside);
        };
        T* const out = pair.dst.as<T>().row(y);
        for (int x = 0; x < pair.dst.width; ++x) {
          const std::ptrdiff_t i = std::ptrdiff_t{x} * pair.src.step;
          const auto at = [&](const Rows& rows) { return value<Acc>(samples(rows)[i]); };
          out[std::ptrdiff_t{x} * pair.dst.step] = sample<Acc, T>(group, at);
        }
      }
    }
  }

 private:
  // `at(frame)`: the frame's value in this place.
  template <class Acc, class T>
  T sample(const Group& group, const auto& at) const {
    const std::vector<double>& taps = plan_.terms[0].dense;
    const Acc here = at(group.here);
    Acc sum = 0;
    for (std::size_t k = 0; k < taps.size(); ++k)
      sum = multiply_add(taps[k], near(at(group.taps[k]), here), sum);
    return finished<T>(sum);
  }
};

}  // namespace

std::unique_ptr<Convolver> make_time_reference(const Plan& plan, int threads) {
  if (plan.plane_rows() > 0) return make_volume_reference(plan, threads);
  return std::make_unique<TimeReference>(plan, threads);
}

}  // namespace vidconv
