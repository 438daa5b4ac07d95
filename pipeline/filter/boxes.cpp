#include "pipeline/filter/boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "kernels/spec/place_spec.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Times are written with three digits, and 3 times 0.1 is more than 0.3.
constexpr double nearby = 0.001;  // seconds

}  // namespace

Boxes::Boxes(std::vector<BoxLine> lines, BoxOptions options)
    : lines_(std::move(lines)),
      options_(std::move(options)),
      applied_(lines_.size()),
      outside_(lines_.size()) {
  std::map<std::tuple<std::string, int, bool>, std::size_t> known;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const BoxLine& line = lines_[i];
    const std::tuple key(line.id, line.filter, line.frame.has_value());
    const auto found = line.id.empty() ? known.end() : known.find(key);
    if (found != known.end()) {
      tracks_[found->second].lines.push_back(i);
      continue;
    }
    if (!line.id.empty()) known.emplace(key, tracks_.size());
    tracks_.push_back({{i}});
  }
  for (Track& track : tracks_)
    std::ranges::stable_sort(track.lines, {}, [&](std::size_t i) { return place_of(lines_[i]); });
}

const BoxLine& Boxes::last_filter() const {
  return *std::ranges::max_element(lines_, {}, &BoxLine::filter);
}

bool Boxes::has_frames() const {
  return std::ranges::any_of(lines_, [](const BoxLine& line) { return line.frame.has_value(); });
}

bool Boxes::has_weights() const {
  return options_.feather > 0 || options_.ellipse || std::ranges::any_of(lines_, &BoxLine::ellipse);
}

double Boxes::place_of(const BoxLine& line) const {
  return line.frame ? static_cast<double>(*line.frame) : line.time;
}

Boxes::Moment Boxes::moment_of(const Frame& frame, const BoxClock& clock, bool by_frame) {
  if (by_frame) {
    const auto number = static_cast<double>(clock.clock.number_of(frame.number_in_video()));
    return {number, number + 1};
  }
  const double from =
      static_cast<double>(clock.clock.time_of(frame.av().pts, clock.time_base)) / 1e6;
  return {from, from + static_cast<double>(frame_duration(frame.av())) * av_q2d(clock.time_base)};
}

// The lines of the track that the moment is between, and how far it is from one to the other. False
// where it has none.
bool Boxes::find(const Track& track, const Moment& moment, std::size_t& a, std::size_t& b,
                 double& part) const {
  const auto place = [&](std::size_t i) { return place_of(lines_[i]); };
  const double slack = lines_[track.lines.front()].frame ? 0 : nearby;
  const auto next = std::ranges::lower_bound(track.lines, moment.from - slack, {}, place);
  if (next == track.lines.end()) return false;
  b = *next;
  const bool is_here = place(b) <= moment.from + slack;
  if (next == track.lines.begin() || is_here) {
    a = b;
    part = 0;
    return is_here || place(b) < moment.to - slack;
  }
  a = *(next - 1);
  part = (moment.from - place(a)) / (place(b) - place(a));
  return true;
}

Rect Boxes::rect_between_lines(const BoxLine& a, const BoxLine& b, double part) const {
  const auto between = [part](double from, double to) { return from + (to - from) * part; };
  const double width = between(a.width, b.width), height = between(a.height, b.height);
  const double left = between(a.x, b.x) - options_.grow * width;
  const double top = between(a.y, b.y) - options_.grow * height;
  // Up to whole pixels outwards.
  return rect_between(static_cast<int>(std::floor(left)), static_cast<int>(std::floor(top)),
                      static_cast<int>(std::ceil(left + (1 + 2 * options_.grow) * width)),
                      static_cast<int>(std::ceil(top + (1 + 2 * options_.grow) * height)));
}

void Boxes::on(const Frame& frame, const BoxClock& clock, std::size_t filter,
               const Orientation& shown, bool note, std::vector<PlacedBox>& boxes) {
  boxes.clear();
  const std::lock_guard lock(mutex_);
  const Moment by_frame = moment_of(frame, clock, true);
  const Moment by_time = moment_of(frame, clock, false);
  const std::int64_t number = clock.clock.number_of(frame.number_in_video());
  if (note) {
    if (!first_frame_) first_frame_ = number, first_time_ = by_time.from;
    // A device that takes over from one that failed sees frames once more.
    last_frame_ = std::max(last_frame_.value_or(number), number);
    last_time_ = std::max(last_time_.value_or(by_time.to), by_time.to);
  }
  int width = frame.width(), height = frame.height();
  if (shown.swaps()) std::swap(width, height);
  size_ = fmt::format("{}x{}", width, height);
  for (Track& track : tracks_) {
    const BoxLine& line = lines_[track.lines.front()];
    if (line.filter != 0 && static_cast<std::size_t>(line.filter) != filter + 1) continue;
    std::size_t a = 0, b = 0;
    double part = 0;
    if (!find(track, line.frame ? by_frame : by_time, a, b, part)) continue;
    const Rect seen = rect_between_lines(lines_[a], lines_[b], part);
    const bool inside = !cut(seen, width, height).empty();
    if (note)
      for (const std::size_t i : {a, b}) (inside ? applied_ : outside_)[i] = true;
    if (!inside) continue;
    boxes.push_back({stored_rect(seen, shown, frame.width(), frame.height()),
                     options_.ellipse || lines_[a].ellipse});
    if (!note || number <= track.last) continue;
    if (track.frames++ == 0) track.first = number;
    track.last = number;
  }
}

std::string Boxes::why_not(std::size_t i) const {
  const BoxLine& line = lines_[i];
  if (outside_[i]) return fmt::format("the box lies outside the picture, which is {}", size_);
  if (line.frame) return fmt::format("its filters acted on no frame {}", *line.frame);
  return fmt::format("its filters acted on no frame at {} s", line.time);
}

void Boxes::check(bool whole) const {
  const std::lock_guard lock(mutex_);
  std::size_t left = 0, first = 0;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    if (applied_[i]) continue;
    const BoxLine& line = lines_[i];
    const bool came =
        line.frame ? first_frame_ && *line.frame >= *first_frame_ && *line.frame <= *last_frame_
                   : first_time_ && line.time >= *first_time_ && line.time < *last_time_;
    if (!whole && !came && !outside_[i]) continue;
    ++left;
    first = i;
  }
  if (left == 0) return;
  throw Error(MessageKind::filter_spec, "boxes were not applied", options_.file,
              fmt::format("{} of {}, first that of line {}: {}", left, lines_.size(),
                          lines_[first].line, why_not(first)),
              "take out what is not of this video");
}

std::vector<BoxAccount> Boxes::accounts() const {
  const std::lock_guard lock(mutex_);
  std::vector<BoxAccount> accounts;
  for (const Track& track : tracks_) {
    int line = lines_[track.lines.front()].line;
    for (const std::size_t i : track.lines) line = std::min(line, lines_[i].line);
    accounts.push_back({.id = lines_[track.lines.front()].id,
                        .line = line,
                        .lines = track.lines.size(),
                        .frames = track.frames,
                        .first = track.first,
                        .last = track.last});
  }
  return accounts;
}

}  // namespace vidconv
