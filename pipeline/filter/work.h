// Work: what is computed for each component of a frame, ready for any device.
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
#include "pipeline/filter/boxes.h"
#include "pipeline/filter/colour_codes.h"
#include "pipeline/filter/mask_video.h"

namespace vidconv {

// What one filter of the chain does to one component.
enum class Action : std::uint8_t {
  filter,
  copy,
  fill,  // with the neutral code, or the colour of a filter that fills
  // Of all colours at once, as Step::light says:
  to_light,  // from the input to scratch memory
  to_codes,  // from scratch memory to the output
};

struct Link {
  std::string text;             // the filter as it was given
  std::vector<Action> actions;  // one per component
  bool everywhere = true;       // else on a part of the picture
  std::optional<Colour> fill = {};
};

// Where a step reads and writes: the frame that came, the frame that goes, or one of two frames of
// scratch memory.
enum class Place : std::uint8_t { input, scratch0, scratch1, output };

// One plan for one or more components of equal kind and size: one call of Convolver::run.
struct Step {
  Plan plan;
  Filter filter = {};  // of Action::filter: what was asked for, which the plan computes; for people
  std::vector<std::size_t> components;
  Place from = Place::input, to = Place::output;
  Action action = Action::filter;
  std::size_t link = 0;  // of the chain; 0 for a component that is only copied
  std::shared_ptr<const LightPlan> light = nullptr;  // of to_light and to_codes
  // Says on which part of the picture; the rest is copied. nullptr: on all of it.
  std::shared_ptr<const FilterSpec> where = nullptr;
};

struct Work {
  const PixelFormat* format = nullptr;
  const PixelFormat* scratch_format = nullptr;  // of the scratch frames
  std::vector<Link> links;                      // for people
  // In order of execution; together they write every component of the output once. What cannot be
  // seen in the result is left out: copies between filters, filters before a fill.
  std::vector<Step> steps;

  // Of the filters that act in boxes, and of those by masks of videos, whose frames are counted so.
  std::shared_ptr<Boxes> boxes = nullptr;
  std::shared_ptr<MaskVideos> masks = nullptr;
  BoxClock clock = {};

  // How many of the scratch frames the steps use: 0, 1 or 2.
  int scratch_frames() const;
  // Whether a step acts on a part of the picture.
  bool has_parts() const;
};

// `planes`: of the filters that were not given their own. `codes`: what filtered samples of the
// output may be; copied planes, alpha and what passes between filters are not limited. (Where the
// filters that follow act on parts of the picture, it does not only pass.)
// Throws Error(usage) where a selection names a component that the format lacks, and where a filter
// is not for all frames, which TimedWork sees to.
Work make_work(std::span<const FilterSpec> chain, const PixelFormat& format,
               const PlaneSelection& planes, Border border, Codes codes = Codes::all,
               const ColourCodes& colours = {});

// The same in linear light: all colours become light, the filters act on each of its planes, and
// light becomes codes again. Alpha is copied. Throws Error(usage) where a filter has planes of its
// own, or acts on a part of the picture.
Work make_light_work(std::span<const FilterSpec> chain, const PixelFormat& format, Border border,
                     const LightPlan& light, const ColourCodes& colours = {});

}  // namespace vidconv
