#include "kernels/cuda/common/then_copy.h"

#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/variants.h"

namespace vidconv::cuda {
namespace {

class ThenCopy final : public Convolver {
 public:
  ThenCopy(std::unique_ptr<Convolver> filter, const Plan& plan)
      : filter_(std::move(filter)),
        copy_(make_copy_of(plan.sample)),
        components_(plan.components),
        kept_(plan.kept),
        bytes_(plan.sample.bytes()) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    filter_->run(pairs, stream);
    copied_.clear();
    for (const PlanePair& pair : pairs)
      for (int k = 0; k < components_; ++k)
        if ((kept_ >> k & 1) != 0)
          copied_.push_back({component(pair.src, k), component(pair.dst, k)});
    copy_->run(copied_, stream);
  }

 private:
  template <class T>
  Plane<T> component(Plane<T> pixels, int k) const {
    pixels.data += k * bytes_;
    pixels.width /= components_;
    pixels.step = components_;
    return pixels;
  }

  std::unique_ptr<Convolver> filter_, copy_;
  int components_;
  unsigned kept_;
  int bytes_;
  std::vector<PlanePair> copied_;  // kept between runs, so that no run allocates
};

}  // namespace

std::unique_ptr<Convolver> make_copy_of(const SampleType& sample) {
  if (sample.storage == Storage::f32) return nullptr;
  Plan plan;
  plan.sample = sample;
  return make_copy(plan, 1);
}

std::unique_ptr<Convolver> then_copy_kept(std::unique_ptr<Convolver> filter, const Plan& plan) {
  if (!filter || plan.kept == 0) return filter;
  return std::make_unique<ThenCopy>(std::move(filter), plan);
}

}  // namespace vidconv::cuda
