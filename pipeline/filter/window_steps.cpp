#include "pipeline/filter/window_steps.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "pipeline/filter/time_stages.h"

namespace vidconv {

WindowSteps::WindowSteps(const TimedWork& work, int width, int height,
                         const ProcessorOptions& options, const FrameMemory& memory, ForCpu for_cpu)
    : work_(work),
      works_(stages_of(work_)),
      format_(work_.format()),
      width_(width),
      height_(height),
      memory_(memory),
      for_cpu_(std::move(for_cpu)) {
  for (const PlaneExtent& extent : extents_of_planes(format_, width, height))
    rows_.push_back(extent.rows);
  for (const TimedWork* one : works_) {
    stages_.push_back(
        {one,
         std::make_unique<PictureSteps>(one->cases()[0], width, height, options, memory),
         {},
         {}});
    std::ranges::copy(stages_.back().steps->variants(), std::back_inserter(variants_));
  }
}

std::size_t WindowSteps::memory() const {
  std::size_t bytes = 0;
  for (const Stage& stage : stages_) bytes += stage.steps->memory();
  for (const auto& picture : pictures_) bytes += picture->bytes;
  return bytes;
}

void WindowSteps::run(const PictureWindow& window, bool goes_on, Planes to, CudaStream stream) {
  for (Stage& stage : stages_) {
    for (auto& [number, made] : stage.made) made.used = false;
    for (auto& [number, cut] : stage.cuts) cut.used = false;
  }
  if (!goes_on) {
    forget_unused();
    ++video_;
  }
  window_ = window;
  stream_ = stream;
  make(stages_.size() - 1, window.result, to);
  forget_unused();
}

void WindowSteps::forget_unused() {
  const auto unused = [](const auto& known) { return !known.second.used; };
  for (Stage& stage : stages_) {
    std::erase_if(stage.made, unused);
    std::erase_if(stage.cuts, unused);
  }
}

std::int64_t WindowSteps::count_of(std::size_t s) const {
  return count_before(works_, s, window_.first + std::ssize(window_.planes) / std::ssize(rows_));
}

// Returns picture `number` of what stage `s` gets.
WindowSteps::Planes WindowSteps::before(std::size_t s, std::int64_t number) {
  if (s == 0)
    return window_.planes.subspan(static_cast<std::size_t>(number - window_.first) * rows_.size(),
                                  rows_.size());
  auto& made = stages_[s - 1].made;
  if (const auto known = made.find(number); known != made.end()) {
    known->second.used = true;
    return known->second.picture->planes;
  }
  auto idle = std::ranges::find_if(pictures_, [](const auto& p) { return p.use_count() == 1; });
  if (idle == pictures_.end()) {
    pictures_.push_back(std::make_shared<OwnPicture>(format_, width_, height_, memory_,
                                                     "for what lies between two filters"));
    idle = std::prev(pictures_.end());
  }
  const std::shared_ptr<OwnPicture> picture = *idle;
  make(s - 1, number, picture->planes);
  made[number] = {picture};
  return picture->planes;
}

bool WindowSteps::is_at_hand(std::size_t s, std::int64_t number) const {
  return s == 0 ? number >= window_.first : stages_[s - 1].made.contains(number);
}

void WindowSteps::make(std::size_t s, std::int64_t number, Planes to) {
  const std::int64_t here = number_before(*works_[s], number);
  const Planes centre = before(s, here);
  if (works_[s]->is_over_time()) set_frames(s, here, centre);
  stages_[s].steps->run(centre, to, stream_);
}

TimeFrame WindowSteps::frame(Planes planes, std::int64_t number) const {
  constexpr int bits_of_numbers = 40;
  TimeFrame frame;
  frame.number = (video_ << bits_of_numbers) + number;
  for (std::size_t p = 0; p < planes.size(); ++p)
    frame.planes.at(p) = {.data = planes[p].data, .stride = planes[p].stride, .rows = rows_[p]};
  return frame;
}

// Tells a stage's filter which pictures lie around number `here` of what it gets.
void WindowSteps::set_frames(std::size_t s, std::int64_t here, Planes centre) {
  const TimedWork& work = *works_[s];
  const std::vector<Step>& steps = work.cases()[0].steps;
  const auto step =
      std::ranges::find_if(steps, [](const Step& one) { return one.plan.over_time.has_value(); });
  if (step == steps.end()) return;
  const TapFrames frames = step->plan.tap_frames();
  const std::int64_t count = count_of(s), first = here - frames.anchor,
                     last = here + frames.after();
  Scene scene{first, last};
  if (work.over_time().cut)
    scene = Scene::around(here, first, last, work.over_time().border, count,
                          [&](std::int64_t number) { return is_cut_before(s, number); });
  std::vector<TimeFrame> taps;
  for (std::int64_t number = first; number <= last; ++number) {
    const std::int64_t there = scene.standing_for(number, work.over_time().border, count);
    taps.push_back(there < 0 ? TimeFrame{} : frame(before(s, there), there));
  }
  const std::int64_t earlier = scene.standing_for(first, work.over_time().border, count) - 1;
  TimeFrame leaving;
  if (earlier >= 0 && is_at_hand(s, earlier)) leaving = frame(before(s, earlier), earlier);
  stages_[s].steps->set_frames(taps, frame(centre, here), leaving);
}

bool WindowSteps::is_cut_before(std::size_t s, std::int64_t number) {
  auto& cuts = stages_[s].cuts;
  auto known = cuts.find(number);
  if (known == cuts.end()) known = cuts.emplace(number, Cut{differ(s, number)}).first;
  known->second.used = true;
  return known->second.found;
}

// Returns whether picture `number` is of another scene than the one before it.
bool WindowSteps::differ(std::size_t s, std::int64_t number) {
  const auto components = [&](std::int64_t n, int side) {
    const Planes picture = for_cpu_(before(s, n), side);
    std::vector<ConstBytePlane> all;
    for (std::size_t i = 0; i < format_.components.size(); ++i)
      all.push_back(component_of(picture, format_, width_, height_, i).as<const std::byte>());
    return all;
  };
  const auto earlier = components(number - 1, 0);
  return mean_difference(format_, earlier, components(number, 1)) > *works_[s]->over_time().cut;
}

}  // namespace vidconv
