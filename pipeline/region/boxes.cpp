#include "pipeline/region/boxes.h"

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
  make_tracks();
  std::vector<BoxIndex::Span> frames, times;
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    const Lines lines_here = lines_of(tracks_[i]);
    (lines_[lines_here.front()].frame ? frames : times)
        .push_back({i, place_of(lines_here.front()), place_of(lines_here.back())});
  }
  by_frame_ = BoxIndex(frames);
  by_time_ = BoxIndex(times);
}

// A line without an id is a track of its own.
void Boxes::make_tracks() {
  std::vector<std::uint32_t> named;
  for (std::uint32_t i = 0; i < lines_.size(); ++i)
    if (!lines_[i].id.empty()) named.push_back(i);
  const auto key = [&](std::uint32_t i) {
    return std::tuple<const std::string&, int, bool>(lines_[i].id, lines_[i].filter,
                                                     lines_[i].frame.has_value());
  };
  std::ranges::sort(named, [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(key(a), place_of(a), a) < std::tuple(key(b), place_of(b), b);
  });
  // A group is the lines of one id, with its first line in the file.
  struct Group {
    std::uint32_t first_line, begin, end;
  };
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < named.size(); ++i) {
    if (i > 0 && key(named[i - 1]) == key(named[i])) {
      groups.back().first_line = std::min(groups.back().first_line, named[i]);
      groups.back().end = i + 1;
    } else {
      groups.push_back({named[i], i, i + 1});
    }
  }
  std::ranges::sort(groups, {}, &Group::first_line);
  order_.reserve(lines_.size());
  tracks_.reserve(lines_.size() - named.size() + groups.size());
  auto group = groups.begin();
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const bool begins = group != groups.end() && group->first_line == i;
    if (!begins && !lines_[i].id.empty()) continue;
    const auto begin = static_cast<std::uint32_t>(order_.size());
    if (begins) {
      order_.insert(order_.end(), named.begin() + group->begin, named.begin() + group->end);
      ++group;
    } else {
      order_.push_back(i);
    }
    tracks_.push_back({begin, static_cast<std::uint32_t>(order_.size())});
  }
}

Boxes::Lines Boxes::lines_of(const Track& track) const {
  return Lines(order_).subspan(track.begin, track.end - track.begin);
}

const BoxLine& Boxes::last_filter() const {
  return *std::ranges::max_element(lines_, {}, &BoxLine::filter);
}

bool Boxes::has_frames() const {
  return std::ranges::any_of(lines_, [](const BoxLine& line) { return line.frame.has_value(); });
}

bool Boxes::has_weights() const {
  return options_.feather > 0 ||
         options_.ellipse.value_or(std::ranges::any_of(lines_, &BoxLine::ellipse));
}

double Boxes::place_of(std::uint32_t i) const {
  const BoxLine& line = lines_[i];
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

// Finds the lines of the track that the moment is between, and how far it is from one to the other.
// Returns false if there are none.
bool Boxes::find(const Track& track, const Moment& moment, std::uint32_t& a, std::uint32_t& b,
                 double& part) const {
  const auto place = [&](std::uint32_t i) { return place_of(i); };
  const Lines lines = lines_of(track);
  const double slack = lines_[lines.front()].frame ? 0 : nearby;
  const auto next = std::ranges::lower_bound(lines, moment.from - slack, {}, place);
  if (next == lines.end()) return false;
  b = *next;
  const bool is_here = place(b) <= moment.from + slack;
  if (next == lines.begin() || is_here) {
    a = b;
    part = 0;
    return is_here || place(b) < moment.to - slack;
  }
  a = *(next - 1);
  part = (moment.from - place(a)) / (place(b) - place(a));
  return true;
}

Rect Boxes::rect_between_lines(const BoxLine& a, const BoxLine& b, double part, int seen_width,
                               int seen_height) const {
  const auto between = [part](double from, double to) { return from + (to - from) * part; };
  const bool relative = options_.units == Units::relative;
  const double across = relative ? seen_width : 1, down = relative ? seen_height : 1;
  const double width = across * between(a.width, b.width);
  const double height = down * between(a.height, b.height);
  const double left = across * between(a.x, b.x) - options_.grow * width;
  const double top = down * between(a.y, b.y) - options_.grow * height;
  // Rounds outwards to whole pixels.
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
  std::vector<std::uint32_t> near;
  by_frame_.find(by_frame.from, by_frame.to, near);
  by_time_.find(by_time.from - nearby, by_time.to + nearby, near);
  std::ranges::sort(near);
  for (const std::uint32_t i : near) {
    Track& track = tracks_[i];
    const BoxLine& line = lines_[lines_of(track).front()];
    if (line.filter != 0 && static_cast<std::size_t>(line.filter) != filter + 1) continue;
    std::uint32_t a = 0, b = 0;
    double part = 0;
    if (!find(track, line.frame ? by_frame : by_time, a, b, part)) continue;
    const Rect seen = rect_between_lines(lines_[a], lines_[b], part, width, height);
    const bool inside = !cut(seen, width, height).empty();
    if (note)
      for (const std::uint32_t line_here : {a, b}) (inside ? applied_ : outside_)[line_here] = true;
    if (!inside) continue;
    boxes.push_back({stored_rect(seen, shown, frame.width(), frame.height()),
                     options_.ellipse.value_or(lines_[a].ellipse)});
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
    const Lines lines = lines_of(track);
    int line = lines_[lines.front()].line;
    for (const std::uint32_t i : lines) line = std::min(line, lines_[i].line);
    accounts.push_back({.id = lines_[lines.front()].id,
                        .line = line,
                        .lines = lines.size(),
                        .frames = track.frames,
                        .first = track.first,
                        .last = track.last});
  }
  return accounts;
}

}  // namespace vidconv
