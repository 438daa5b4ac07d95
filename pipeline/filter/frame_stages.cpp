#include "pipeline/filter/frame_stages.h"

#include <algorithm>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

Frame without_window(const Frame& frame) {
  Frame same = frame.share();
  same.set_window(nullptr);
  same.set_upload(frame.upload());
  return same;
}

}  // namespace

double mean_difference(const Frame& a, const Frame& b) {
  const auto components = [](const Frame& frame) {
    std::vector<ConstBytePlane> all;
    for (std::size_t i = 0; i < frame.format().components.size(); ++i)
      all.push_back(frame.component(i));
    return all;
  };
  return mean_difference(a.format(), components(a), components(b));
}

std::shared_ptr<const FrameWindow> sample_window(
    const FrameReach& reach, std::int64_t result,
    const std::vector<std::shared_ptr<const Frame>>& frames) {
  const std::int64_t here = result * reach.every + reach.phase;
  auto window = std::make_shared<FrameWindow>();
  window->result = result;
  window->first = std::max<std::int64_t>(0, here - reach.before - 1);
  for (std::int64_t n = window->first; n <= here + reach.after; ++n)
    window->frames.push_back(frames[static_cast<std::size_t>(n) % frames.size()]);
  return window;
}

FrameStages::FrameStages(const TimedWork& work) : reach_(work.reach()) {
  for (const TimedWork* one : stages_of(work)) stages_.push_back({*one, {}, {}});
  for (const Stage& stage : stages_) works_.push_back(&stage.work);
}

Frame FrameStages::make(const Frame& frame) {
  if (!frame.window())
    throw Error(Fault::internal, "a frame comes without those around it", "", "");
  window_ = frame.window().get();
  Frame result = make(stages_.size() - 1, window_->result);
  window_ = nullptr;
  // Its place among those that come out; a stage has numbered it as the frame that it is of.
  result.set_place(frame.video(), frame.number());
  set_frame_duration(result.av(), frame_duration(frame.av()));
  return result;
}

void FrameStages::forget_all() {
  for (std::size_t s = 0; s < stages_.size(); ++s) forget(s, INT64_MAX);
}

// Returns how many frames come out of the stages before this one; none where that is not known
// yet, and none of those that are asked for is missing.
std::optional<std::int64_t> FrameStages::count_of(std::size_t s) const {
  if (!window_->count) return std::nullopt;
  return count_before(works_, s, *window_->count);
}

// Returns frame `number` of what stage `s` gets.
FrameStages::SharedFrame FrameStages::before(std::size_t s, std::int64_t number) {
  if (s == 0) return window_->frames.at(static_cast<std::size_t>(number - window_->first));
  SharedFrame& made = stages_[s - 1].made[number];
  if (!made) made = std::make_shared<const Frame>(make(s - 1, number));
  return made;
}

Frame FrameStages::make(std::size_t s, std::int64_t number) {
  const Stage& stage = stages_[s];
  const std::int64_t here = number_before(stage.work, number);
  const SharedFrame centre = before(s, here);
  if (stage.work.passes(*centre) && passes_on(s)) return without_window(*centre);
  Frame input = without_window(*centre);
  if (stage.work.is_over_time()) input.set_taps(taps(s, here, *centre));
  Frame output = filter(s, std::move(input));
  output.set_taps(nullptr);
  return output;
}

// Returns the frames around frame `here` of what stage `s` gets.
std::shared_ptr<const FrameTaps> FrameStages::taps(std::size_t s, std::int64_t here,
                                                   const Frame& centre) {
  const Stage& stage = stages_[s];
  const Work& work = stage.work.cases()[stage.work.case_of(centre)];
  const auto step = std::ranges::find_if(
      work.steps, [](const Step& one) { return one.plan.over_time.has_value(); });
  if (step == work.steps.end()) return nullptr;
  const TapFrames frames = step->plan.tap_frames();
  const std::optional<std::int64_t> count = count_of(s);
  const std::int64_t first = here - frames.anchor, last = here + frames.after();
  const Scene scene = scene_of(s, here, first, last);
  auto result = std::make_shared<FrameTaps>();
  for (std::int64_t number = first; number <= last; ++number) {
    const std::int64_t there = scene.standing_for(number, stage.work.over_time().border, count);
    result->taps.push_back({there, there < 0 ? nullptr : before(s, there)});
  }
  const std::int64_t earlier = result->taps[0].number - 1;
  if (earlier >= 0 && is_at_hand(s, earlier)) result->before = {earlier, before(s, earlier)};
  forget(s, std::min(first, here) - 1);
  return result;
}

// Returns the scene of `here` that taps on frames `first` to `last` see.
Scene FrameStages::scene_of(std::size_t s, std::int64_t here, std::int64_t first,
                            std::int64_t last) {
  const OverTime& over_time = stages_[s].work.over_time();
  const std::optional<double>& cut = over_time.cut;
  if (!cut) return {first, last};
  return Scene::around(here, first, last, over_time.border, count_of(s), [&](std::int64_t number) {
    const auto [known, is_new] = stages_[s].cuts.try_emplace(number);
    if (is_new) known->second = difference(*before(s, number - 1), *before(s, number)) > *cut;
    return known->second;
  });
}

bool FrameStages::is_at_hand(std::size_t s, std::int64_t number) const {
  return s == 0 ? number >= window_->first : stages_[s - 1].made.contains(number);
}

// Forgets frames below `number` of what stage `s` gets.
void FrameStages::forget(std::size_t s, std::int64_t number) {
  std::erase_if(stages_[s].cuts, [&](const auto& cut) { return cut.first < number; });
  if (s > 0)
    std::erase_if(stages_[s - 1].made, [&](const auto& made) { return made.first < number; });
}

}  // namespace vidconv
