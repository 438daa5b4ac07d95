// Work says what is computed for each component of a frame, ready for any device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/light/light.h"
#include "kernels/picture/border.h"
#include "kernels/plan/plan.h"
#include "kernels/spec/parse.h"
#include "kernels/spec/plane_selection.h"
#include "pipeline/av/format.h"
#include "pipeline/region/boxes.h"
#include "pipeline/region/mask_video.h"
#include "pipeline/work/colour_codes.h"

namespace vidconv {

// The effect of a filter of the chain on a component.
enum class Action : std::uint8_t {
  filter,
  copy,
  fill,  // with the neutral code, or the colour of a filter that fills
  // These act on all colours at once, as Step::light says.
  to_light,  // from the input to scratch memory
  to_codes,  // from scratch memory to the output, or to Place::codes
  // From Place::codes into the place of a filter that has acted on light.
  bring_codes,
};

struct Link {
  std::string text;                 // the filter as it was given
  std::vector<Action> actions;      // one per component
  bool everywhere = true;           // false: on a region of the picture
  std::optional<Colour> fill = {};  // the colour, if the filter fills
  bool weighted = false;            // colours count by their alpha
};

// The frames that a step reads and writes: the input, the output, one of two scratch frames, or one
// of codes that were made of light.
enum class Place : std::uint8_t { input, scratch0, scratch1, codes, output };

// One plan for components of equal kind and size, computed in one call of Convolver::run().
struct Step {
  Plan plan;
  Filter filter = {};  // the filter asked for, which `plan` computes; for people
  std::vector<std::size_t> components;
  Place from = Place::input, to = Place::output;
  Action action = Action::filter;
  std::size_t link = 0;  // index in the chain; 0 for a component that is only copied
  std::shared_ptr<const LightPlan> light = nullptr;  // for to_light and to_codes
  // Names the region of the picture that the step acts on; the rest is copied. nullptr: all of it.
  std::shared_ptr<const FilterSpec> where = nullptr;
  // Whether earlier steps have written all of the picture, and this one brings in its place alone:
  // the levels of a map, and bring_codes.
  bool adds = false;
  // The component that the samples count by, as it is before the step; for weighted plans.
  std::optional<std::size_t> weights = {};
};

struct Work {
  const PixelFormat* format = nullptr;
  const PixelFormat* scratch_format = nullptr;  // the scratch frames' format
  std::vector<Link> links;                      // for people
  // Steps in order of execution; together they write every component of the output once. Anything
  // that cannot be seen in the result is left out: copies between filters, filters before a fill.
  std::vector<Step> steps;

  // For filters that act in boxes or by mask videos, with the clock that counts their frames.
  std::shared_ptr<Boxes> boxes = nullptr;
  std::shared_ptr<MaskVideos> masks = nullptr;
  BoxClock clock = {};

  // Returns how many scratch frames the steps use: 0, 1 or 2.
  int scratch_frames() const;
  // Returns whether filters of places act on light, so that codes of it lie beside the picture.
  bool brings_codes() const;
  // Returns whether the step changes components of the output itself. Others act on light.
  bool acts_on_output(const Step& step) const {
    return !brings_codes() || step.action == Action::bring_codes || step.action == Action::copy;
  }
  // Returns whether a step acts on a region of the picture.
  bool has_regions() const;
};

// Throws Error(filter_spec) if the filter is not for all frames: a picture is of no time.
void check_for_all_frames(const FilterSpec& spec);

// Makes the work of a chain of filters. `planes`: for filters without planes of their own. `codes`:
// the range of filtered samples in the output; copied planes, alpha and samples between filters are
// not limited, except for filters before one that acts on a region, since their samples are output
// too. `alpha`: for filters that do not say it. Throws Error(usage) if a selection names a
// component that the format lacks, if colours cannot be weighted as a filter or `alpha` asks, or if
// a filter is not for all frames: that is for TimedWork.
Work make_work(std::span<const FilterSpec> chain, const PixelFormat& format,
               const PlaneSelection& planes, Border border, Codes codes = Codes::all,
               const ColourCodes& colours = {}, AlphaUse alpha = AlphaUse::separate);

// Makes the work in linear light: all colours become light, the filters act on each of its planes,
// and light becomes codes again. Alpha is copied. Where each filter acts on a region of the
// picture, these codes are brought into the regions and all else is the input. Throws Error(usage)
// if a filter has planes of its own.
Work make_light_work(std::span<const FilterSpec> chain, const PixelFormat& format, Border border,
                     const LightPlan& light, const ColourCodes& colours = {});

}  // namespace vidconv
