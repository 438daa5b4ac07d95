// study-openmp-simd: OpenMP over rows, and `omp simd` on the loop over the taps of a kernel row.
// The additions of one sum then happen in another order, which integers allow and the definition of
// float sums does not: this variant is for 8-bit samples. Two more things keep it from what SIMD
// can do: a kernel row is short (3 taps fill no vector), and samples beside the border need the
// scalar loop. kernels/cpu/ runs SIMD over output samples instead.
#include <algorithm>

#include "kernels/study/on_cpu.h"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

std::int32_t row_sum(const std::int32_t* taps, const std::uint8_t* samples, int n) {
  std::int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += taps[i] * samples[i];
  return sum;
}

class OpenMpSimd final : public Convolver {
 public:
  OpenMpSimd(const Plan& plan, int threads)
      : lesson_(make_lesson(plan, Prefer::dense)), threads_(threads) {
    for (const double tap : plan.terms[0].dense) taps_.push_back(static_cast<std::int32_t>(tap));
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs) {
      const auto src = pair.src.as<const std::uint8_t>();
      const auto dst = pair.dst.as<std::uint8_t>();
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (int y = 0; y < dst.height; ++y)
        for (std::ptrdiff_t x = 0; x < dst.width; ++x)
          dst.row(y)[x * dst.step] = sample(src, static_cast<int>(x), y);
    }
  }

 private:
  std::uint8_t sample(const Plane<const std::uint8_t>& src, int x, int y) const {
    const Matrix& m = lesson_.matrices[0];
    const int left = x - m.anchor_x, top = y - m.anchor_y;
    const bool inside = src.step == 1 && left >= 0 && top >= 0 && left + m.width <= src.width &&
                        top + m.height <= src.height;
    if (!inside)
      return output<std::uint8_t, std::int32_t>(
          lesson_, x, y, [&](int i) { return taps_[static_cast<std::size_t>(i)]; },
          [&](int u, int v) { return sample_at(src, lesson_, u, v); });
    std::int32_t sum = 0;
    for (int j = 0; j < m.height; ++j)
      sum += row_sum(taps_.data() + static_cast<std::ptrdiff_t>(j) * m.width,
                     src.row(top + j) + left, m.width);
    return finish<std::uint8_t>(lesson_.finish, &sum, 1);
  }

  Lesson lesson_;
  std::vector<std::int32_t> taps_;
  [[maybe_unused]] int threads_;  // unused without OpenMP
};

}  // namespace

bool supports_openmp_simd(const Plan& plan) {
  return supports_any(plan) && plan.sample.storage == Storage::u8 && plan.terms.size() == 1 &&
         !plan.terms[0].dense.empty();
}

std::unique_ptr<Convolver> make_openmp_simd(const Plan& plan, int threads) {
  return std::make_unique<OpenMpSimd>(plan, threads);
}

}  // namespace vidconv::study
