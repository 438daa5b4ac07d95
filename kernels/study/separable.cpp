// study-separable: a rank 1 kernel as two loops, one thread. The row pass writes its sums to an
// array, the column pass reads them: width + height multiply-adds for a sample instead of width *
// height.
#include "kernels/study/on_cpu.h"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
class Separable final : public Convolver {
 public:
  explicit Separable(const Plan& plan)
      : lesson_(make_lesson(plan, Prefer::two_passes)),
        row_(typed(plan.terms[0].row)),
        column_(typed(plan.terms[0].column)) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) compute(pair.src.as<const T>(), pair.dst.as<T>());
  }

 private:
  using Acc = Sum<T>;

  static std::vector<Acc> typed(const std::vector<double>& taps) {
    return {taps.begin(), taps.end()};
  }

  template <class Read>
  Acc row_sum(Read read) const {
    const Matrix& m = lesson_.matrices[0];
    return between_passes(
        dot<Acc>(
            m.width, [&](int i) { return row_[static_cast<std::size_t>(i)]; }, read),
        m.row_shift);
  }

  void compute(const Plane<const T>& src, const Plane<T>& dst) {
    const Matrix& m = lesson_.matrices[0];
    const auto width = static_cast<std::size_t>(dst.width);
    sums_.resize(width * static_cast<std::size_t>(dst.height));
    const auto sum = [&](int x, int y) -> Acc& {
      return sums_[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
    };
    for (int y = 0; y < dst.height; ++y)
      for (int x = 0; x < dst.width; ++x)
        sum(x, y) = row_sum([&](int i) { return sample_at(src, lesson_, x - m.anchor_x + i, y); });

    const Acc outside = row_sum([&](int) { return static_cast<T>(lesson_.outside); });
    for (int y = 0; y < dst.height; ++y)
      for (int x = 0; x < dst.width; ++x) {
        const Acc response = dot<Acc>(
            m.height, [&](int j) { return column_[static_cast<std::size_t>(j)]; },
            [&](int j) {
              const int v = border_index(lesson_.border, y - m.anchor_y + j, dst.height);
              return v < 0 ? outside : sum(x, v);
            });
        dst.row(y)[static_cast<std::ptrdiff_t>(x) * dst.step] =
            finish<T>(lesson_.finish, &response, 1);
      }
  }

  Lesson lesson_;
  std::vector<Acc> row_, column_;
  std::vector<Acc> sums_;  // sums of the row pass
};

}  // namespace

std::unique_ptr<Convolver> make_separable(const Plan& plan, int) {
  if (plan.sample.storage == Storage::u8) return std::make_unique<Separable<std::uint8_t>>(plan);
  return std::make_unique<Separable<float>>(plan);
}

}  // namespace vidconv::study
