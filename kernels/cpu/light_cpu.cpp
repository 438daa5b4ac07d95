// Linear light on the CPU: rows spread over threads.
#include <algorithm>
#include <utility>

#include "kernels/convolver/thread_pool.h"
#include "kernels/light/light_math.h"

namespace vidconv {
namespace {

template <class T, ColourModel model>
class CpuLight final : public Convolver {
 public:
  CpuLight(const LightPlan& plan, LightStep step, int threads)
      : step_(step),
        table_(make_curve(plan.transfer, step)),
        math_(make_light_math(plan, table_.over(table_.knots.data()))),
        pool_(shared_thread_pool(threads)) {}

  void run(std::span<const PlanePair> pairs, CudaStream) override {
    const LightPlanes planes = light_planes(pairs);
    if (step_ == LightStep::to_light) {
      for_samples(planes.dst[0], [&](int x, int y) { to_light<T, model>(math_, planes, x, y); });
      return;
    }
    for_samples(planes.dst[0], [&](int x, int y) { to_codes<T, model>(math_, planes, x, y); });
    if constexpr (model == ColourModel::yuv)
      for_samples(planes.dst[1], [&](int x, int y) {
        to_chroma_codes<T>(math_, planes, x, y,
                           [&](int u, int v) { return signals_at(math_, planes, u, v); });
      });
  }

 private:
  template <class Body>
  void for_samples(const BytePlane& plane, const Body& body) {
    const int bands = std::min(plane.height, 4 * pool_->threads());
    pool_->run(bands, [&](int band, int) {
      const std::int64_t height = plane.height;
      const int end = static_cast<int>(height * (band + 1) / bands);
      for (int y = static_cast<int>(height * band / bands); y < end; ++y)
        for (int x = 0; x < plane.width; ++x) body(x, y);
    });
  }

  const LightStep step_;
  const CurveTable table_;
  const LightMath math_;
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace

std::unique_ptr<Convolver> make_cpu_light(const LightPlan& plan, LightStep step, int threads) {
  return with_light_types(plan, [&]<class T, ColourModel model>() -> std::unique_ptr<Convolver> {
    return std::make_unique<CpuLight<T, model>>(plan, step, threads);
  });
}

}  // namespace vidconv
