#include <vidconv/pixels.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/convolver/usable_threads.h"
#include "kernels/plan/plan.h"
#include "kernels/spec/border_spec.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv {
namespace {

SampleType sample_of(int depth) {
  if (depth == 32) return {Storage::f32, 32};
  if (depth < 8 || depth > 16)
    throw std::invalid_argument("depth " + std::to_string(depth) + ": use 8 to 16, or 32");
  return {depth == 8 ? Storage::u8 : Storage::u16, depth};
}

Filter filter_of(const std::string& spec) {
  try {
    const FilterSpec parsed = FilterSpec::parse(spec);
    if (!parsed.is_for_all_frames())
      throw std::invalid_argument(
          spec + ": a picture has no time; leave out between= and values over time");
    return parsed.make();
  } catch (const SpecError& error) {
    throw std::invalid_argument(spec + ", column " + std::to_string(error.column()) + ": " +
                                error.what());
  }
}

Plan plan_of(const std::string& spec, const PixelOptions& options) {
  return make_plan(filter_of(spec), sample_of(options.depth), parse_border(options.border),
                   Role::colour);
}

template <class Byte>
Plane<Byte> plane_of(const PixelPlane<Byte>& p) {
  return {.data = p.data, .stride = p.stride, .width = p.width, .height = p.height, .step = p.step};
}

}  // namespace

struct PixelFilter::State {
  std::unique_ptr<Convolver> convolver;
};

PixelFilter::PixelFilter(const std::string& spec, const PixelOptions& options) {
  const Plan plan = plan_of(spec, options);
  const int threads = options.threads > 0 ? options.threads : usable_threads();
  state_ = std::make_unique<State>(State{pick(plan, Device::cpu).convolver(threads)});
}
PixelFilter::~PixelFilter() = default;
PixelFilter::PixelFilter(PixelFilter&&) noexcept = default;
PixelFilter& PixelFilter::operator=(PixelFilter&&) noexcept = default;

void PixelFilter::apply(const PixelPlane<const std::byte>& from, const PixelPlane<std::byte>& to) {
  if (from.width != to.width || from.height != to.height || from.width < 1 || from.height < 1)
    throw std::invalid_argument("planes of " + std::to_string(from.width) + "x" +
                                std::to_string(from.height) + " and " + std::to_string(to.width) +
                                "x" + std::to_string(to.height) +
                                ": both are of one size, at least 1x1");
  const PlanePair pair{plane_of(from), plane_of(to)};
  state_->convolver->run({&pair, 1}, nullptr);
}

}  // namespace vidconv
