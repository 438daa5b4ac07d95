#include "pipeline/work/timed_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Each moment has a number in a table.
constexpr std::size_t most_moments = 1 << 20;
// Each case has plans, and convolvers.
constexpr std::size_t most_cases = 4096;

void add_ends(const std::vector<Stretch>& stretches, std::vector<std::int64_t>& ends) {
  for (const Stretch& s : stretches) {
    if (s.begin != INT64_MIN) ends.push_back(s.begin);
    if (s.end != INT64_MAX) ends.push_back(s.end);
  }
}

void sort_once(std::vector<std::int64_t>& ends) {
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
}

// Returns how many of them have passed.
std::size_t passed(const std::vector<std::int64_t>& ends, std::int64_t at) {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, at) - ends.begin());
}

// Returns a moment when so many have passed.
std::int64_t moment(const std::vector<std::int64_t>& ends, std::size_t passed) {
  return passed == 0 ? INT64_MIN : ends[passed - 1];
}

void check_numbers(std::span<const FilterSpec> chain, const VideoInfo& video) {
  if (video.clock.frames_before) return;
  for (const FilterSpec& spec : chain)
    if (counts_frames(spec))
      throw Error(MessageKind::filter_spec, "cannot count frames for", spec.text(),
                  "with `start` nobody knows how many frames of the input come before",
                  "give times, which are counted from the input's beginning");
}

// For each filter of a chain whether it acts, and its values: equal numbers are one case.
using State = std::vector<int>;

State state_at(std::span<const FilterSpec> chain, std::int64_t time, std::int64_t frame) {
  State state;
  for (const FilterSpec& spec : chain) {
    const bool acts = spec.when().holds(time, frame);
    state.push_back(acts);
    for (const TimedParameter& timed : spec.timed())
      state.push_back(acts ? timed.curve.at(timed.curve.of_frames() ? frame : time) : 0);
  }
  return state;
}

std::vector<FilterSpec> acting_in(const State& state, std::span<const FilterSpec> chain) {
  std::vector<FilterSpec> acting;
  auto at = state.begin();
  for (const FilterSpec& spec : chain) {
    const bool acts = *at++ != 0;
    const std::vector<int> values(at, at + std::ssize(spec.timed()));
    at += std::ssize(spec.timed());
    if (!acts) continue;
    try {
      acting.push_back(spec.with_values(values));
    } catch (const std::invalid_argument& error) {
      throw Error(MessageKind::filter_spec, "cannot make a filter of", spec.text(), error.what(),
                  "choose other values");
    }
  }
  return acting;
}

// Returns whether no change can be seen in the output.
bool changes_nothing(const Work& work) {
  return std::ranges::all_of(work.steps, [](const Step& step) {
    return !step.light &&
           (step.action == Action::copy || (step.action == Action::filter && step.plan.is_copy()));
  });
}

}  // namespace

bool counts_frames(const FilterSpec& spec) {
  return !spec.when().frames.empty() ||
         std::ranges::any_of(spec.timed(), [](const auto& t) { return t.curve.of_frames(); });
}

TimedWork::TimedWork(Work always)
    : cases_(std::make_shared<const std::vector<Work>>(1, std::move(always))), case_at_{0} {}

TimedWork::TimedWork(std::span<const FilterSpec> chain, const VideoInfo& video,
                     const MakeWork& make)
    : time_base_(video.time_base), clock_(video.clock) {
  if (!chain.empty() && chain[0].is_over_time()) over_time_ = chain[0].over_time();
  check_numbers(chain, video);
  for (const FilterSpec& spec : chain) {
    add_ends(spec.when().times, times_);
    add_ends(spec.when().frames, frames_);
    for (const TimedParameter& timed : spec.timed())
      timed.curve.add_changes(timed.curve.of_frames() ? frames_ : times_);
  }
  sort_once(times_);
  sort_once(frames_);
  if (times_.size() + 1 > most_moments / (frames_.size() + 1))
    throw Error(MessageKind::filter_spec, "too much changes on the way", "",
                fmt::format("at {} times and {} frames", times_.size(), frames_.size()),
                "give fewer keys, or either times or numbers of frames");

  std::vector<Work> cases;
  cases.push_back(make_work({}, *video.format, {}, {}));
  const bool changes = !times_.empty() || !frames_.empty();
  std::map<State, std::size_t> known;
  const auto case_for = [&](const State& state) {
    const auto [found, is_new] = known.try_emplace(state, cases.size());
    if (!is_new) return found->second;
    const std::vector<FilterSpec> acting = acting_in(state, chain);
    Work work = acting.empty() ? make_work({}, *video.format, {}, {}) : make(acting);
    if (changes && changes_nothing(work)) return found->second = 0;
    if (cases.size() > most_cases)
      throw Error(MessageKind::filter_spec, "too much changes together", acting[0].text(),
                  fmt::format("there are more than {} sets of values that some frame has at once",
                              most_cases),
                  "change fewer parameters at a time, or through fewer keys");
    cases.push_back(std::move(work));
    return found->second;
  };
  for (std::size_t t = 0; t <= times_.size(); ++t)
    for (std::size_t f = 0; f <= frames_.size(); ++f)
      case_at_.push_back(case_for(state_at(chain, moment(times_, t), moment(frames_, f))));
  leaves_out_ = std::ranges::find(case_at_, std::size_t{0}) != case_at_.end();
  if (!leaves_out_) {  // then there is no such case
    cases.erase(cases.begin());
    for (std::size_t& number : case_at_) --number;
  }
  cases_ = std::make_shared<const std::vector<Work>>(std::move(cases));
}

void TimedWork::follow(TimedWork before) {
  before_ = std::make_shared<const TimedWork>(std::move(before));
}

TimedWork in_stages(std::span<const FilterSpec> chain, const VideoInfo& video,
                    const TimedWork::MakeWork& make) {
  std::optional<TimedWork> before;
  for (;;) {
    const auto next = std::find_if(chain.begin() + (chain.empty() ? 0 : 1), chain.end(),
                                   [](const FilterSpec& spec) { return spec.is_over_time(); });
    const auto length = static_cast<std::size_t>(next - chain.begin());
    TimedWork work(chain.first(length), video, make);
    if (before) work.follow(*std::move(before));
    if (length == chain.size()) return work;
    before = std::move(work);
    chain = chain.subspan(length);
  }
}

std::vector<const TimedWork*> stages_of(const TimedWork& work) {
  std::vector<const TimedWork*> stages;
  for (const TimedWork* one = &work; one; one = one->before()) stages.push_back(one);
  std::ranges::reverse(stages);
  return stages;
}

FrameReach TimedWork::reach() const {
  const FrameReach inner = before_ ? before_->reach() : FrameReach{};
  if (!over_time_) return inner;
  std::int64_t before = 0, after = 0;
  for (const Work& work : cases())
    for (const Step& step : work.steps) {
      if (!step.plan.over_time) continue;
      const TapFrames frames = step.plan.tap_frames();
      before = std::max<std::int64_t>(before, frames.anchor);
      after = std::max<std::int64_t>(after, frames.after());
    }
  // At an edge, frames on the other side stand for those that are not there.
  if (over_time_->border == TimeBorder::reflect || over_time_->border == TimeBorder::reflect101)
    before = after = std::max(before, after);
  return {.before = inner.before + before * inner.every,
          .after = inner.after + after * inner.every,
          .every = inner.every * over_time_->every,
          .phase = inner.phase + over_time_->phase * inner.every};
}

void TimedWork::read_masks(const std::shared_ptr<MaskVideos>& masks, const BoxClock& clock) {
  const auto has_mask = [](const Step& step) {
    return step.where && !step.where->place().mask_video().empty();
  };
  if (before_) {
    TimedWork before = *before_;
    before.read_masks(masks, clock);
    follow(std::move(before));
  }
  if (std::ranges::none_of(
          *cases_, [&](const Work& work) { return std::ranges::any_of(work.steps, has_mask); }))
    return;
  std::vector<Work> cases = *cases_;
  for (Work& work : cases) work.masks = masks, work.clock = clock;
  cases_ = std::make_shared<const std::vector<Work>>(std::move(cases));
}

std::size_t TimedWork::case_of(const Frame& frame) const {
  if (case_at_.size() == 1) return case_at_[0];
  const std::int64_t time = clock_.time_of(frame.av().pts, time_base_);
  const std::int64_t number = clock_.number_of(frame.number_in_video());
  return case_at_[passed(times_, time) * (frames_.size() + 1) + passed(frames_, number)];
}

const PixelFormat& TimedWork::scratch_format() const {
  for (const Work& work : cases())
    if (work.scratch_frames() > 0) return *work.scratch_format;
  return *cases()[0].scratch_format;
}

int TimedWork::scratch_frames() const {
  int most = 0;
  for (const Work& work : cases()) most = std::max(most, work.scratch_frames());
  return most;
}

bool TimedWork::has_regions() const { return std::ranges::any_of(cases(), &Work::has_regions); }

std::size_t TimedWork::most_steps() const {
  std::size_t most = 0;
  for (const Work& work : cases()) most = std::max(most, work.steps.size());
  return most;
}

bool is_for_cpu(const TimedWork& work) {
  return std::ranges::any_of(stages_of(work), [](const TimedWork* stage) {
    return stage->is_over_time() && stage->before() && stage->over_time().cut;
  });
}

}  // namespace vidconv
