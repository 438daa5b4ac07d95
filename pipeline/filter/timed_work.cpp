#include "pipeline/filter/timed_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Of each there is a number in a table.
constexpr std::size_t most_moments = 1 << 20;

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

// How many of them have passed.
std::size_t passed(const std::vector<std::int64_t>& ends, std::int64_t at) {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, at) - ends.begin());
}

// A moment when so many have passed.
std::int64_t moment(const std::vector<std::int64_t>& ends, std::size_t passed) {
  return passed == 0 ? INT64_MIN : ends[passed - 1];
}

void check_numbers(std::span<const FilterSpec> chain, const VideoInfo& video) {
  if (video.clock.frames_before) return;
  for (const FilterSpec& spec : chain)
    if (!spec.when().frames.empty())
      throw Error(MessageKind::filter_spec, "cannot count frames for", spec.text(),
                  "with `start` nobody knows how many frames of the input come before",
                  "give times, which are counted from the input's beginning");
}

}  // namespace

TimedWork::TimedWork(Work always)
    : cases_(std::make_shared<const std::vector<Work>>(1, std::move(always))), case_at_{0} {}

TimedWork::TimedWork(std::span<const FilterSpec> chain, const VideoInfo& video,
                     const MakeWork& make)
    : time_base_(video.time_base), clock_(video.clock) {
  check_numbers(chain, video);
  for (const FilterSpec& spec : chain) {
    add_ends(spec.when().times, times_);
    add_ends(spec.when().frames, frames_);
  }
  sort_once(times_);
  sort_once(frames_);
  if (times_.size() + 1 > most_moments / (frames_.size() + 1))
    throw Error(MessageKind::filter_spec, "too much changes on the way", "",
                fmt::format("{} times and {} numbers of frames", times_.size(), frames_.size()),
                "give fewer, or either times or numbers");

  std::vector<Work> cases;
  std::map<std::vector<bool>, std::size_t> known;  // which filters act: the case
  const auto case_for = [&](const std::vector<bool>& acts) {
    const auto [found, is_new] = known.try_emplace(acts, cases.size());
    if (!is_new) return found->second;
    std::vector<FilterSpec> acting;
    for (std::size_t i = 0; i < chain.size(); ++i)
      if (acts[i]) acting.push_back(chain[i].for_all_frames());
    cases.push_back(acting.empty() ? make_work({}, *video.format, {}, {}) : make(acting));
    return found->second;
  };
  const auto acting_at = [&](std::size_t times, std::size_t frames) {
    std::vector<bool> acts;
    for (const FilterSpec& spec : chain)
      acts.push_back(spec.when().holds(moment(times_, times), moment(frames_, frames)));
    return acts;
  };
  const std::vector<bool> none(chain.size());
  for (std::size_t t = 0; t <= times_.size() && !leaves_out_; ++t)
    for (std::size_t f = 0; f <= frames_.size() && !leaves_out_; ++f)
      leaves_out_ = acting_at(t, f) == none;
  if (leaves_out_) case_for(none);  // the first
  for (std::size_t t = 0; t <= times_.size(); ++t)
    for (std::size_t f = 0; f <= frames_.size(); ++f) case_at_.push_back(case_for(acting_at(t, f)));
  cases_ = std::make_shared<const std::vector<Work>>(std::move(cases));
}

std::size_t TimedWork::case_of(const Frame& frame) const {
  if (case_at_.size() == 1) return case_at_[0];
  const std::int64_t time = clock_.time_of(frame.av().pts, time_base_);
  const std::int64_t number = clock_.frames_before.value_or(0) + frame.number_in_video();
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

bool TimedWork::has_parts() const { return std::ranges::any_of(cases(), &Work::has_parts); }

std::size_t TimedWork::most_steps() const {
  std::size_t most = 0;
  for (const Work& work : cases()) most = std::max(most, work.steps.size());
  return most;
}

}  // namespace vidconv
