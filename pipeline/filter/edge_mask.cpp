#include "pipeline/filter/edge_mask.h"

#include <algorithm>

#include "kernels/variants/variants.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

template <class T>
void raise_weights(Weights& weights, const Plane<const T>& response, const SampleType& sample) {
  for (int y = 0; y < weights.height(); ++y) {
    std::uint8_t* to = weights.row(y);
    const T* from = response.row(y);
    for (int x = 0; x < weights.width(); ++x) to[x] = std::max(to[x], weight_of(from[x], sample));
  }
}

}  // namespace

std::vector<std::size_t> components_seen(const PixelFormat& format) {
  using Kind = Component::Kind;
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < format.components.size(); ++i)
    if (format.components[i].kind == Kind::luma || format.components[i].kind == Kind::colour)
      seen.push_back(i);
  return seen;
}

Plan edge_plan(const FilterSpec& filter, const PixelFormat& format) {
  return make_plan(filter.make(), format.components[components_seen(format).front()].sample, {},
                   Role::colour);
}

EdgeMask::EdgeMask(const FilterSpec& filter, const PixelFormat& format, int width, int height,
                   int threads)
    : components_(components_seen(format)),
      sample_(format.components[components_.front()].sample),
      memory_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
              static_cast<std::size_t>(sample_.bytes())),
      weights_(width, height) {
  convolver_ = pick(edge_plan(filter, format), Device::cpu).convolver(threads);
  pairs_.reserve(2);
}

const Weights& EdgeMask::of(std::span<const ConstBytePlane> components, bool by_field) {
  weights_.fill({0, 0, weights_.width(), weights_.height()}, 0);
  for (const std::size_t i : components_) {
    const BytePlane response{.data = memory_.data(),
                             .stride = std::ptrdiff_t{weights_.width()} * sample_.bytes(),
                             .width = weights_.width(),
                             .height = weights_.height()};
    pairs_.clear();
    add_pairs(components[i], response, by_field, pairs_);
    convolver_->run(pairs_, nullptr);
    raise(response.as<const std::byte>());
  }
  return weights_;
}

void EdgeMask::raise(const ConstBytePlane& response) {
  switch (sample_.storage) {
    case Storage::u8:
      return raise_weights(weights_, response.as<const std::uint8_t>(), sample_);
    case Storage::u16:
      return raise_weights(weights_, response.as<const std::uint16_t>(), sample_);
    case Storage::f32:
      return raise_weights(weights_, response.as<const float>(), sample_);
  }
}

}  // namespace vidconv
