// study-naive: the definition, computed in the order in which it is written. For each output sample
// every tap is read, and the sample under it, after a test whether that lies inside the picture:
// two loads for one multiply-add. The other study variants are measured against this one.
#include "kernels/study/on_cpu.h"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
struct Naive {
  static void run(const Plane<const T>& src, const Plane<T>& dst, const Lesson& lesson,
                  const Sum<T>* taps, int) {
    const auto tap = [&](int i) { return taps[i]; };
    const auto read = [&](int u, int v) { return sample_at(src, lesson, u, v); };
    for (int y = 0; y < dst.height; ++y)
      for (std::ptrdiff_t x = 0; x < dst.width; ++x)
        dst.row(y)[x * dst.step] = output<T, Sum<T>>(lesson, static_cast<int>(x), y, tap, read);
  }
};

}  // namespace

std::unique_ptr<Convolver> make_naive(const Plan& plan, int threads) {
  return make_on_cpu<Naive>(plan, threads);
}

}  // namespace vidconv::study
