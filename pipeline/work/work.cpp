#include "pipeline/work/work.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

using Kind = Component::Kind;

bool selects(const PlaneSelection& planes, const Component& c) {
  if (c.kind == Kind::padding) return false;
  switch (planes.mode) {
    case PlaneSelection::Mode::luma:
      return c.kind == Kind::luma;
    case PlaneSelection::Mode::chroma:
      return c.kind == Kind::chroma;
    case PlaneSelection::Mode::list:
      return planes.names.find(c.name) != std::string::npos;
    default:
      return true;
  }
}

void check_selection(const PlaneSelection& planes, const PixelFormat& format) {
  const auto refuse = [&](const std::string& which) {
    std::string there;
    for (const Component& c : format.components)
      if (c.kind != Kind::padding) there += c.name;
    throw Error(MessageKind::filter_spec, "cannot select", which,
                format.name + " has no such plane", "its planes are " + there);
  };
  if (planes.mode == PlaneSelection::Mode::list)
    for (const char name : planes.names)
      if (std::ranges::find(format.components, name, &Component::name) == format.components.end())
        refuse(std::string(1, name));
  if (std::ranges::none_of(format.components, [&](auto& c) { return selects(planes, c); }))
    refuse(planes.mode == PlaneSelection::Mode::luma ? "luma" : "chroma");
}

Action action_for(Purpose purpose, const Component& c, const PlaneSelection& planes) {
  if (planes.mode != PlaneSelection::Mode::by_purpose)
    return selects(planes, c) ? Action::filter : Action::copy;
  if (c.kind == Kind::alpha || c.kind == Kind::padding) return Action::copy;
  if (c.kind == Kind::chroma && purpose == Purpose::sharpen) return Action::copy;
  if (c.kind == Kind::chroma && purpose == Purpose::edge) return Action::fill;
  return Action::filter;
}

// Returns why a filter cannot weigh the format's colours by its alpha, in words that follow "it";
// empty where it can.
std::string why_not_weighted(const Filter& filter, const PlaneSelection& planes,
                             const PixelFormat& format) {
  if (std::string why = vidconv::why_not_weighted(filter); !why.empty()) return why;
  const bool by_purpose = planes.mode == PlaneSelection::Mode::by_purpose;
  for (const Component& c : format.components)
    if (c.kind != Kind::padding && !by_purpose && !selects(planes, c))
      return std::string("leaves out plane ") + c.name;
  return "";
}

// Returns whether no neighbour counts, nor its weight.
bool is_one_tap(const Filter& filter) {
  return filter.kernels.size() == 1 && filter.kernels[0].taps().size() == 1 && filter.convolves();
}

// Returns whether the filter weighs colours by alpha. Throws where that is asked for and cannot be.
bool is_weighted(const FilterSpec& spec, const Filter& filter, const PlaneSelection& planes,
                 const PixelFormat& format, AlphaUse alpha) {
  if (spec.alpha()) alpha = *spec.alpha();
  if (alpha == AlphaUse::separate || std::ranges::find(format.components, Kind::alpha,
                                                       &Component::kind) == format.components.end())
    return false;
  if (is_one_tap(filter)) return false;
  const std::string why = why_not_weighted(filter, planes, format);
  if (!why.empty() && alpha == AlphaUse::weighted)
    throw Error(MessageKind::filter_spec, "cannot weigh colours by their alpha with", spec.text(),
                "it " + why, "leave out `alpha`, or see the filter's alpha=separate");
  return why.empty();
}

// `code`: of Action::fill.
Plan plan_for(Action action, const Filter& filter, const Component& c, Border border, Codes codes,
              double code) {
  switch (action) {
    case Action::filter:
      return make_plan(filter, c.sample, border,
                       c.kind == Kind::chroma ? Role::chroma : Role::colour,
                       c.kind == Kind::alpha ? Codes::all : codes);
    case Action::copy:
      return make_plan(Filter{.kernels = {Kernel(1, 1, {1.0})}}, c.sample, {}, Role::colour);
    case Action::fill:
      return make_fill_plan(c.sample, code);
    default:
      break;
  }
  throw Error(Fault::internal, "unknown action", "", "");
}

Plan weighted_plan(const Filter& filter, const Component& c, const Component& alpha, Border border,
                   Codes codes) {
  return make_weighted_plan(
      filter, c.sample, border, c.kind == Kind::chroma ? Role::chroma : Role::colour, codes,
      {c.subsampling.x / alpha.subsampling.x, c.subsampling.y / alpha.subsampling.y});
}

// Completes a step that filters: a filter of its own, or one of a map's levels. `alpha`: what
// colours count by; nullptr: nothing. `adds`: as Step::adds.
Step filter_step(Step step, const FilterSpec& spec, const Component& c, const Component* alpha,
                 Border border, Codes codes, bool adds) {
  step.filter = spec.make(c.subsampling);
  step.plan = alpha && !is_one_tap(step.filter)
                  ? weighted_plan(step.filter, c, *alpha, border, codes)
                  : plan_for(Action::filter, step.filter, c, border, codes, 0);
  if (spec.has_place()) step.where = std::make_shared<const FilterSpec>(spec);
  step.adds = adds;
  return step;
}

// A thing left to do to a component. There is at least one, and the last writes the output.
struct Task {
  Action action;
  std::size_t link;
};
using Tasks = std::vector<Task>;

// `together`: a filter weighs colours by alpha, so that all components go through each filter at
// the same time.
Tasks tasks_for(std::size_t component, const std::vector<Link>& links, bool together) {
  Tasks tasks;
  const auto copies = [&](const Link& link) { return link.actions[component] == Action::copy; };
  together = together && !std::ranges::all_of(links, copies);
  for (std::size_t l = 0; l < links.size(); ++l) {
    const Action action = links[l].actions[component];
    if (action == Action::fill && links[l].everywhere && !together)
      tasks.clear();  // nothing before it can be seen
    if (action != Action::copy || together) tasks.push_back({action, l});
  }
  if (tasks.empty()) tasks.push_back({Action::copy, 0});
  return tasks;
}

// Returns whether the output shows some of what task `index` makes, unfiltered.
bool is_seen(const Tasks& tasks, std::size_t index, const std::vector<Link>& links) {
  return std::all_of(tasks.begin() + static_cast<std::ptrdiff_t>(index) + 1, tasks.end(),
                     [&](const Task& later) { return !links[later.link].everywhere; });
}

// Returns where a task writes after which `left` tasks follow on the same component.
Place place_before(std::size_t left) {
  return left == 0 ? Place::output : left % 2 ? Place::scratch0 : Place::scratch1;
}

// Components whose task has an equal key share a step.
auto key_of(const Task& task, const Component& c, bool first, double code) {
  const bool plain = task.action == Action::copy;  // one plan for every kind of plane
  const Subsampling s = plain ? Subsampling{} : c.subsampling;
  return std::tuple(task.action, task.link, first, plain ? Kind::luma : c.kind, s.x, s.y,
                    c.sample.storage, c.sample.depth, c.sample.shift, code);
}

// Returns whether one call can compute two steps over time: one launch on a device then takes all
// planes of a picture, whatever their sizes.
bool can_join(const Step& a, const Step& b, const PixelFormat& format) {
  const auto shares_plane = [&](std::size_t i) {
    return std::ranges::any_of(a.components, [&](std::size_t j) {
      return format.components[i].plane == format.components[j].plane;
    });
  };
  return a.plan.over_time && a.plan == b.plan && a.action == b.action && a.link == b.link &&
         a.from == b.from && a.to == b.to && !a.where &&
         std::ranges::none_of(b.components, shares_plane);
}

void join_over_time(Work& work) {
  for (auto step = work.steps.begin(); step != work.steps.end(); ++step)
    for (auto other = step + 1; other != work.steps.end();) {
      if (!can_join(*step, *other, *work.format)) {
        ++other;
        continue;
      }
      step->components.insert(step->components.end(), other->components.begin(),
                              other->components.end());
      other = work.steps.erase(other);
    }
}

}  // namespace

bool Work::has_regions() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.where != nullptr; });
}

int Work::scratch_frames() const {
  std::set<Place> used;
  for (const Step& step : steps)
    if (step.to == Place::scratch0 || step.to == Place::scratch1) used.insert(step.to);
  return static_cast<int>(used.size());
}

bool Work::brings_codes() const {
  return std::ranges::any_of(steps,
                             [](const Step& step) { return step.action == Action::bring_codes; });
}

void check_for_all_frames(const FilterSpec& spec) {
  if (spec.is_for_all_frames()) return;
  throw Error(MessageKind::filter_spec, "cannot filter a picture at a time", spec.text(),
              "it is of no video, and has none", "leave out between= and values over time");
}

Work make_work(std::span<const FilterSpec> chain, const PixelFormat& format,
               const PlaneSelection& planes, Border border, Codes codes, const ColourCodes& colours,
               AlphaUse alpha) {
  check_selection(planes, format);
  Work work;
  work.format = work.scratch_format = &format;
  for (const FilterSpec& spec : chain) {
    if (spec.is_over_time() && &spec != chain.data())
      throw Error(Fault::internal, "a filter over time is not the first of its work", spec.text(),
                  "");
    check_for_all_frames(spec);
    Link& link = work.links.emplace_back(
        Link{spec.text() + (spec.is_turned() ? ", turned with the picture" : ""),
             {},
             !spec.has_place(),
             spec.fill()});
    const Filter filter = spec.make();
    PlaneSelection selection = spec.planes() ? *spec.planes() : planes;
    check_selection(selection, format);
    link.weighted = is_weighted(spec, filter, selection, format, alpha);
    if (link.weighted) selection.mode = PlaneSelection::Mode::all;
    for (const Component& c : format.components) {
      const Action action = action_for(filter.purpose, c, selection);
      link.actions.push_back(action == Action::filter && link.fill ? Action::fill : action);
    }
  }

  const bool together = std::ranges::any_of(work.links, &Link::weighted);
  const auto alpha_at =
      static_cast<std::size_t>(std::ranges::find(format.components, Kind::alpha, &Component::kind) -
                               format.components.begin());
  std::vector<Tasks> todo;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < format.components.size(); ++i) {
    todo.push_back(tasks_for(i, work.links, together));
    longest = std::max(longest, todo.back().size());
  }
  // All components end together in the output, so that those with fewer tasks start later.
  for (std::size_t left = longest; left-- > 0;) {
    // Keys of the steps that are made here.
    std::vector<decltype(key_of({}, format.components[0], true, 0))> keys;
    std::vector<std::pair<std::size_t, std::size_t>> of_key;  // their first step, and its end
    for (std::size_t i = 0; i < todo.size(); ++i) {
      if (todo[i].size() <= left) continue;
      const Component& c = format.components[i];
      const std::size_t index = todo[i].size() - 1 - left;
      const Task& task = todo[i][index];
      double code = 0;
      if (task.action == Action::fill) {
        const std::optional<Colour>& colour = work.links[task.link].fill;
        code = colour ? sample_of(*colour, c, colours) : c.sample.neutral();
      }
      const auto key = key_of(task, c, index == 0, code);
      const auto same = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
      if (same == keys.size()) {
        keys.push_back(key);
        const std::size_t first = work.steps.size();
        const Step at{.plan = {},
                      .components = {},
                      .from = index == 0 ? Place::input : place_before(left + 1),
                      .to = place_before(left),
                      .action = task.action,
                      .link = task.link};
        const Codes allowed = is_seen(todo[i], index, work.links) ? codes : Codes::all;
        if (task.action == Action::filter) {
          const bool weighted = work.links[task.link].weighted && c.kind != Kind::alpha;
          for (const FilterSpec& level : chain[task.link].levels())
            work.steps.push_back(filter_step(at, level, c,
                                             weighted ? &format.components[alpha_at] : nullptr,
                                             border, allowed, work.steps.size() > first));
        } else {
          work.steps.push_back(at);
          work.steps.back().plan = plan_for(task.action, {}, c, border, allowed, code);
          if (task.action == Action::fill && chain[task.link].has_place())
            work.steps.back().where = std::make_shared<const FilterSpec>(chain[task.link]);
        }
        of_key.emplace_back(first, work.steps.size());
        for (std::size_t s = first; s < work.steps.size(); ++s)
          if (work.steps[s].plan.weighted) work.steps[s].weights = alpha_at;
      }
      for (std::size_t s = of_key[same].first; s < of_key[same].second; ++s)
        work.steps[s].components.push_back(i);
    }
  }
  join_over_time(work);
  return work;
}

}  // namespace vidconv
