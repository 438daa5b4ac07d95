#include "pipeline/filter/frame_stages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Returns the sum of the differences of two rows' samples.
template <class T>
double row_difference(const ConstBytePlane& a, const ConstBytePlane& b, int y, int shift) {
  const T* p = a.as<const T>().row(y);
  const T* q = b.as<const T>().row(y);
  double sum = 0;
  for (std::ptrdiff_t x = 0; x < a.width; ++x) {
    if constexpr (std::is_same_v<T, float>)
      sum += std::abs(static_cast<double>(p[x * a.step]) - static_cast<double>(q[x * b.step]));
    else
      sum += std::abs((p[x * a.step] >> shift) - (q[x * b.step] >> shift));
  }
  return sum;
}

Frame without_window(const Frame& frame) {
  Frame same = frame.share();
  same.set_window(nullptr);
  return same;
}

}  // namespace

// Frames between which no cut lies.
struct FrameStages::Scene {
  std::int64_t first, last;
  bool cut_before = false, cut_after = false;

  // Returns the number of the frame that stands for one that may be beyond a cut or not be there.
  std::int64_t standing_for(std::int64_t number, TimeBorder border,
                            std::optional<std::int64_t> count) const {
    constexpr std::int64_t no_end = std::int64_t{1} << 30;
    if (cut_before && number < first) return first;
    if (cut_after && number > last) return last;
    std::int64_t there = time_border_index(border, number, count.value_or(no_end));
    if (there < 0) return there;
    if (cut_before) there = std::max(there, first);
    if (cut_after) there = std::min(there, last);
    return there;
  }
};

double mean_difference(const Frame& a, const Frame& b) {
  double sum = 0, samples = 0;
  const auto& components = a.format().components;
  const bool luma = std::ranges::any_of(
      components, [](const Component& c) { return c.kind == Component::Kind::luma; });
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Component& c = components[i];
    if (luma ? c.kind != Component::Kind::luma
             : c.kind == Component::Kind::alpha || c.kind == Component::Kind::padding)
      continue;
    const ConstBytePlane p = a.component(i), q = b.component(i);
    double of_plane = 0;
    for (int y = 0; y < p.height; ++y)
      of_plane += c.sample.storage == Storage::u8 ? row_difference<std::uint8_t>(p, q, y, 0)
                  : c.sample.storage == Storage::u16
                      ? row_difference<std::uint16_t>(p, q, y, c.sample.shift)
                      : row_difference<float>(p, q, y, 0);
    sum += of_plane / c.sample.max();
    samples += static_cast<double>(p.width) * p.height;
  }
  return samples == 0 ? 0 : sum / samples;
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
std::optional<std::int64_t> FrameStages::count_before(std::size_t s) const {
  std::optional<std::int64_t> count = window_->count;
  for (std::size_t i = 0; count && i < s; ++i) {
    const TimedWork& work = stages_[i].work;
    if (!work.is_over_time()) continue;
    const OverTime& over_time = work.over_time();
    count =
        std::max<std::int64_t>(0, *count - over_time.phase + over_time.every - 1) / over_time.every;
  }
  return count;
}

// Returns the number of the frame of the stage before that a frame of this one is of.
std::int64_t FrameStages::number_before(std::size_t s, std::int64_t number) const {
  const TimedWork& work = stages_[s].work;
  return work.is_over_time() ? number * work.over_time().every + work.over_time().phase : number;
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
  const std::int64_t here = number_before(s, number);
  const SharedFrame centre = before(s, here);
  if (stage.work.passes(*centre) && passes_on(s)) return without_window(*centre);
  Frame input = centre->share();
  input.set_window(nullptr);
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
  const Taps& taps = step->plan.terms[0];
  const std::optional<std::int64_t> count = count_before(s);
  const std::int64_t first = here - taps.anchor_x, last = first + taps.width - 1;
  const Scene scene = scene_of(s, here, std::max<std::int64_t>(0, first),
                               count ? std::min(last, *count - 1) : last);
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

// Returns those from `first` to `last` that are of the same scene as `here`.
FrameStages::Scene FrameStages::scene_of(std::size_t s, std::int64_t here, std::int64_t first,
                                         std::int64_t last) {
  const std::optional<double>& cut = stages_[s].work.over_time().cut;
  Scene scene{first, last};
  if (!cut) return scene;
  const auto cut_before = [&](std::int64_t number) {
    const auto [known, is_new] = stages_[s].cuts.try_emplace(number);
    if (is_new) known->second = difference(*before(s, number - 1), *before(s, number)) > *cut;
    return known->second;
  };
  for (std::int64_t number = here; number > first && !scene.cut_before; --number)
    if (cut_before(number)) scene.first = number, scene.cut_before = true;
  for (std::int64_t number = here + 1; number <= last && !scene.cut_after; ++number)
    if (cut_before(number)) scene.last = number - 1, scene.cut_after = true;
  return scene;
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
