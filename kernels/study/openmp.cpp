// study-openmp: the naive loops with one line more. Rows do not depend on each other, so that each
// thread takes its share of them; the speed-up is nearly the number of cores, because there is
// much arithmetic for each byte of memory.
#include "kernels/study/on_cpu.h"
#include "kernels/study/study.h"

namespace vidconv::study {
namespace {

template <class T>
struct OpenMp {
  static void run(const Plane<const T>& src, const Plane<T>& dst, const Lesson& lesson,
                  const Sum<T>* taps, [[maybe_unused]] int threads) {
    const auto tap = [&](int i) { return taps[i]; };
    const auto read = [&](int u, int v) { return sample_at(src, lesson, u, v); };
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < dst.height; ++y)
      for (std::ptrdiff_t x = 0; x < dst.width; ++x)
        dst.row(y)[x * dst.step] = output<T, Sum<T>>(lesson, static_cast<int>(x), y, tap, read);
  }
};

}  // namespace

std::unique_ptr<Convolver> make_openmp(const Plan& plan, int threads) {
  return make_on_cpu<OpenMp>(plan, threads);
}

}  // namespace vidconv::study
