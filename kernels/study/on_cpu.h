// A study variant of the CPU: the lesson, its taps in the arithmetic's type, and the choice of a
// type for a plan.
#pragma once

#include <memory>
#include <vector>

#include "kernels/convolver/convolver.h"
#include "kernels/study/lesson.h"

namespace vidconv::study {

// Method<T>::run(src, dst, lesson, taps, threads) computes one plane.
template <class T, template <class> class Method>
class OnCpu final : public Convolver {
 public:
  OnCpu(const Plan& plan, int threads)
      : lesson_(make_lesson(plan, Prefer::dense)), threads_(threads) {
    for (const double tap : lesson_taps(plan, Prefer::dense))
      taps_.push_back(static_cast<Sum<T>>(tap));
  }

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    for (const PlanePair& pair : pairs)
      Method<T>::run(pair.src.as<const T>(), pair.dst.as<T>(), lesson_, taps_.data(), threads_);
  }

 private:
  Lesson lesson_;
  std::vector<Sum<T>> taps_;
  int threads_;
};

template <template <class> class Method>
std::unique_ptr<Convolver> make_on_cpu(const Plan& plan, int threads) {
  if (plan.sample.storage == Storage::u8)
    return std::make_unique<OnCpu<std::uint8_t, Method>>(plan, threads);
  return std::make_unique<OnCpu<float, Method>>(plan, threads);
}

}  // namespace vidconv::study
