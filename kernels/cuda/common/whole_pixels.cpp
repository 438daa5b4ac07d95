#include "kernels/cuda/common/whole_pixels.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/convolver/whole_pixels.h"
#include "kernels/cuda/common/then_copy.h"
#include "kernels/cuda/variants.h"
#include "kernels/plan/interleave.h"

namespace vidconv::cuda {
namespace {

// A variant that takes plans of whole pixels: it asks border_index() for samples beside the plane,
// with the number of components.
struct ForPixels {
  bool (*supports)(const Plan&, const CudaAbilities&);
  std::unique_ptr<Convolver> (*make)(const Plan&, int threads);
  bool keeps = false;  // whether it copies components in Plan::kept
};

template <bool (*supports)(const Plan&)>
bool on_any(const Plan& plan, const CudaAbilities&) {
  return supports(plan);
}

// The first variant that supports a plan is taken. Tensor cores take rows of taps that are mostly
// zeros at little cost; some others leave the zeros out, and the rest pay for as many taps.
constexpr ForPixels variants_for_pixels[] = {
    {on_any<supports_copy>, make_copy},
    {on_any<supports_fill>, make_fill},
    {supports_dense_rows, make_dense_rows, true},
    {supports_dense_imma, make_dense_imma, true},
    {supports_separable_imma, make_separable_imma, true},
    {supports_separable_pixels, make_separable_pixels, true},
    {supports_separable_u16, make_separable_u16},
};

// A kind of pixels, and a run's planes of that kind.
class Pixels {
 public:
  Pixels(const Plan& plan, const CudaAbilities& abilities, int components, unsigned kept)
      : components_(components),
        kept_(kept),
        convolver_(make_whole_pixels(plan, abilities, components, kept)) {}

  bool are(const WholePixels& pixels) const {
    return components_ == pixels.components && kept_ == pixels.kept;
  }
  void begin() { pairs_.clear(); }
  // Returns false where no variant takes them.
  bool add(const PlanePair& pair) {
    if (convolver_) pairs_.push_back(pair);
    return convolver_ != nullptr;
  }
  void run(CudaStream stream) {
    if (!pairs_.empty()) convolver_->run(pairs_, stream);
  }

 private:
  int components_;
  unsigned kept_;
  std::unique_ptr<Convolver> convolver_;
  std::vector<PlanePair> pairs_;  // kept, as all vectors here, so that no further run allocates
};

class WithWholePixels final : public Convolver {
 public:
  WithWholePixels(const Plan& plan, const CudaAbilities& abilities,
                  std::unique_ptr<Convolver> separate)
      : plan_(plan),
        abilities_(abilities),
        separate_(std::move(separate)),
        copy_(make_copy_of(plan.sample)) {}

  void run(std::span<const PlanePair> pairs, CudaStream stream) override {
    planes_.clear();
    copied_.clear();
    for (Pixels& pixels : kinds_) pixels.begin();
    while (!pairs.empty()) {
      const auto together = pairs.first(packed_together(pairs, plan_.sample.bytes()));
      const auto whole = as_one_plane(together, plan_.sample.bytes());
      if (!whole || !of_kind(*whole).add(whole->plane))
        for (const PlanePair& pair : together) (pair.copied ? copied_ : planes_).push_back(pair);
      pairs = pairs.subspan(together.size());
    }
    if (!planes_.empty()) separate_->run(planes_, stream);
    for (Pixels& pixels : kinds_) pixels.run(stream);
    if (!copied_.empty()) copy_->run(copied_, stream);
  }

  bool copies_in_passing() const override { return copy_ != nullptr; }

 private:
  Pixels& of_kind(const WholePixels& whole) {
    const auto known =
        std::ranges::find_if(kinds_, [&](const Pixels& pixels) { return pixels.are(whole); });
    if (known != kinds_.end()) return *known;
    return kinds_.emplace_back(plan_, abilities_, whole.components, whole.kept);
  }

  const Plan plan_;
  const CudaAbilities abilities_;
  std::unique_ptr<Convolver> separate_, copy_;
  std::vector<PlanePair> planes_, copied_;
  std::vector<Pixels> kinds_;
};

}  // namespace

std::unique_ptr<Convolver> make_whole_pixels(const Plan& plan, const CudaAbilities& abilities,
                                             int components, unsigned kept) {
  const std::optional<Plan> wide = interleaved(plan, components, kept);
  if (!wide) return nullptr;
  for (const ForPixels& variant : variants_for_pixels)
    if ((kept == 0 || variant.keeps) && variant.supports(*wide, abilities))
      return variant.make(*wide, 1);
  return kept == 0 ? nullptr
                   : then_copy_kept(make_whole_pixels(plan, abilities, components), *wide);
}

std::unique_ptr<Convolver> with_whole_pixels(const Plan& plan, const CudaAbilities& abilities,
                                             std::unique_ptr<Convolver> separate) {
  return std::make_unique<WithWholePixels>(plan, abilities, std::move(separate));
}

}  // namespace vidconv::cuda
