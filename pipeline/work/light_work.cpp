#include <algorithm>
#include <memory>

#include "pipeline/base/error.h"
#include "pipeline/work/work.h"

namespace vidconv {
namespace {

// Light has the resolution of luma.
const PixelFormat& light_format(const LightPlan& light) {
  return *find_format(light.model == ColourModel::grey ? AV_PIX_FMT_GRAYF32 : AV_PIX_FMT_GBRPF32);
}

// Returns where a step on light works instead of `place`, a frame: in scratch memory throughout.
// `first`: where the first steps write.
Place in_scratch(Place place, Place first) {
  if (place == Place::output) return Place::scratch1;  // the step before, if any, wrote scratch0
  if (place == Place::input) return first == Place::scratch0 ? Place::scratch1 : Place::scratch0;
  return place;
}

// Adds the steps that bring codes of light into the places of all filters, one for the components
// of each size.
void bring_codes(std::span<const FilterSpec> chain, const LightPlan& light, Work& work) {
  const Plan copy =
      make_plan(Filter{.kernels = {Kernel(1, 1, {1.0})}}, light.sample, {}, Role::colour);
  const auto colours = static_cast<std::size_t>(light.components());
  for (std::size_t link = 0; link < chain.size(); ++link)
    for (std::size_t i = 0; i < colours;) {
      const Subsampling size = work.format->components[i].subsampling;
      Step step{.plan = copy,
                .components = {},
                .action = Action::bring_codes,
                .link = link,
                .where = std::make_shared<const FilterSpec>(chain[link]),
                .adds = link > 0};
      for (; i < colours && work.format->components[i].subsampling == size; ++i)
        step.components.push_back(i);
      work.steps.push_back(std::move(step));
    }
}

}  // namespace

Work make_light_work(std::span<const FilterSpec> chain, const PixelFormat& format, Border border,
                     const LightPlan& light, const ColourCodes& colours) {
  for (const FilterSpec& spec : chain)
    if (spec.planes())
      throw Error(MessageKind::filter_spec, "cannot select planes", spec.text(),
                  "filters in linear light act on all colours", "leave out planes or `linear`");
  for (const FilterSpec& spec : chain)
    if (spec.alpha() == AlphaUse::weighted)
      throw Error(MessageKind::filter_spec, "cannot weigh colours by their alpha", spec.text(),
                  "filters in linear light copy alpha", "leave out alpha=weighted or `linear`");
  const PixelFormat& between = light_format(light);
  ColourCodes of_light = colours;
  of_light.light = light.transfer;
  const Work on_light =
      make_work(chain, between, {PlaneSelection::Mode::all, {}}, border, Codes::all, of_light);
  // Without filters each component is copied; that step is as good as any.
  const Place first = on_light.steps.front().to;
  const bool in_places = !chain.empty() && std::ranges::all_of(chain, &FilterSpec::has_place);

  Work work;
  work.format = &format;
  work.scratch_format = &between;
  work.links = on_light.links;
  const auto shared = std::make_shared<const LightPlan>(light);
  Step convert{.plan = {}, .components = {}, .light = shared};
  for (int i = 0; i < light.components(); ++i)
    convert.components.push_back(static_cast<std::size_t>(i));

  convert.action = Action::to_light;
  convert.from = Place::input;
  convert.to = in_scratch(Place::input, first);
  work.steps.push_back(convert);
  for (Step step : on_light.steps) {
    step.from = in_scratch(step.from, first);
    step.to = in_scratch(step.to, first);
    work.steps.push_back(std::move(step));
  }
  convert.action = Action::to_codes;
  convert.from = in_scratch(Place::output, first);
  convert.to = in_places ? Place::codes : Place::output;
  convert.link = chain.empty() ? 0 : chain.size() - 1;
  work.steps.push_back(convert);
  if (in_places) bring_codes(chain, light, work);

  // Alpha and padding are copied.
  for (Step& step : make_work({}, format, {}, border).steps) {
    std::erase_if(step.components, [&](std::size_t i) { return i < convert.components.size(); });
    if (!step.components.empty()) work.steps.push_back(std::move(step));
  }
  return work;
}

}  // namespace vidconv
