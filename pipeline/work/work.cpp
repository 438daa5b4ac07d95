#include "pipeline/work/work.h"

#include <algorithm>
#include <set>
#include <tuple>

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

// A thing left to do to a component. There is at least one, and the last writes the output.
struct Task {
  Action action;
  std::size_t link;
};
using Tasks = std::vector<Task>;

Tasks tasks_for(std::size_t component, const std::vector<Link>& links) {
  Tasks tasks;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const Action action = links[l].actions[component];
    if (action == Action::fill && links[l].everywhere)
      tasks.clear();  // nothing before it can be seen
    if (action != Action::copy) tasks.push_back({action, l});
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

}  // namespace

bool Work::has_regions() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.where != nullptr; });
}

int Work::scratch_frames() const {
  std::set<Place> used;
  for (const Step& step : steps) used.insert(step.to);
  return static_cast<int>(used.size()) - 1;  // all but the output
}

void check_for_all_frames(const FilterSpec& spec) {
  if (spec.is_for_all_frames()) return;
  throw Error(MessageKind::filter_spec, "cannot filter a picture at a time", spec.text(),
              "it is of no video, and has none", "leave out between= and values over time");
}

Work make_work(std::span<const FilterSpec> chain, const PixelFormat& format,
               const PlaneSelection& planes, Border border, Codes codes,
               const ColourCodes& colours) {
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
    const Purpose purpose = spec.make().purpose;
    const PlaneSelection& selection = spec.planes() ? *spec.planes() : planes;
    check_selection(selection, format);
    for (const Component& c : format.components) {
      const Action action = action_for(purpose, c, selection);
      link.actions.push_back(action == Action::filter && link.fill ? Action::fill : action);
    }
  }

  std::vector<Tasks> todo;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < format.components.size(); ++i) {
    todo.push_back(tasks_for(i, work.links));
    longest = std::max(longest, todo.back().size());
  }
  // All components end together in the output, so that those with fewer tasks start later.
  for (std::size_t left = longest; left-- > 0;) {
    // Keys of the steps that are made here.
    std::vector<decltype(key_of({}, format.components[0], true, 0))> keys;
    const std::size_t begin = work.steps.size();
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
        Filter filter;
        if (task.action == Action::filter) filter = chain[task.link].make(c.subsampling);
        const bool placed = task.action != Action::copy && chain[task.link].has_place();
        work.steps.push_back(
            {.plan = plan_for(task.action, filter, c, border,
                              is_seen(todo[i], index, work.links) ? codes : Codes::all, code),
             .filter = filter,
             .components = {},
             .from = index == 0 ? Place::input : place_before(left + 1),
             .to = place_before(left),
             .action = task.action,
             .link = task.link,
             .where = placed ? std::make_shared<const FilterSpec>(chain[task.link]) : nullptr});
      }
      work.steps[begin + same].components.push_back(i);
    }
  }
  return work;
}

}  // namespace vidconv
