#include "pipeline/region/boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "kernels/spec/place_spec.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// Times are written with three digits, and 3 times 0.1 is more than 0.3.
constexpr double nearby = 0.001;  // seconds
// The duration of frames that do not say it.
constexpr double shortest_frame = 0.001;  // seconds

}  // namespace

std::string BoxOptions::where(int line) const {
  return listed ? fmt::format("regions[{}]", line - 1) : fmt::format("line {}", line);
}

Boxes::Boxes(std::vector<BoxLine> lines, BoxOptions options)
    : lines_(std::move(lines)),
      options_(std::move(options)),
      applied_(lines_.size()),
      outside_(lines_.size()) {
  make_tracks();
  std::vector<BoxIndex::Span> frames, times;
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) {
    const Lines lines_here = lines_of(tracks_[i]);
    (lines_[lines_here.front()].by_time ? times : frames)
        .push_back({i, place_of(lines_here.front()), place_of(lines_here.back())});
  }
  by_frame_ = BoxIndex(frames);
  by_time_ = BoxIndex(times);
}

// The sort key of a line: lines of one track have equal ids, filters and ways to count. An id is
// the number of its first line.
struct Boxes::Named {
  double place;
  std::uint32_t id, line;
  int filter;
  bool by_time;

  bool same_track(const Named& other) const {
    return std::tie(id, filter, by_time) == std::tie(other.id, other.filter, other.by_time);
  }
  bool operator<(const Named& other) const {
    return std::tie(id, filter, by_time, place, line) <
           std::tie(other.id, other.filter, other.by_time, other.place, other.line);
  }
};

std::vector<Boxes::Named> Boxes::named_lines() const {
  std::vector<Named> named;
  named.reserve(lines_.size());
  // The first line of each id stands for it.
  const auto hash = [&](std::uint32_t line) { return std::hash<std::string>()(lines_[line].id); };
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return lines_[a].id == lines_[b].id; };
  std::unordered_set<std::uint32_t, decltype(hash), decltype(same)> ids(0, hash, same);
  for (std::uint32_t i = 0; i < lines_.size(); ++i) {
    const BoxLine& line = lines_[i];
    if (!line.id.empty())
      named.push_back({line.at, *ids.insert(i).first, i, line.filter, line.by_time});
  }
  std::ranges::sort(named, std::less<>());
  check_once(named);
  return named;
}

// Two boxes of one id at one time would be one that is in two places.
void Boxes::check_once(std::span<const Named> named) const {
  std::optional<std::size_t> first;
  for (std::size_t i = 1; i < named.size(); ++i)
    if (named[i - 1].same_track(named[i]) && named[i - 1].place == named[i].place &&
        (!first || named[i].line < named[*first].line))
      first = i;
  if (!first) return;
  const BoxLine& line = lines_[named[*first].line];
  const std::string where = options_.where(line.line);
  throw Error(MessageKind::filter_spec, "cannot read the boxes",
              options_.listed ? where : fmt::format("{} {}", options_.file, where),
              fmt::format("id {} has a box at that {} already, in {}", line.id,
                          line.by_time ? "time" : "frame",
                          options_.where(lines_[named[*first - 1].line].line)),
              "see docs/places.md");
}

// A line without an id is a track of its own.
void Boxes::make_tracks() {
  const std::vector<Named> named = named_lines();
  // Groups of the named ones, and of each its first line in the file.
  struct Group {
    std::uint32_t first_line, begin, end;
  };
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < named.size(); ++i) {
    if (i > 0 && named[i - 1].same_track(named[i])) {
      groups.back().first_line = std::min(groups.back().first_line, named[i].line);
      groups.back().end = i + 1;
    } else {
      groups.push_back({named[i].line, i, i + 1});
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
      for (std::uint32_t k = group->begin; k < group->end; ++k) order_.push_back(named[k].line);
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
  return std::ranges::any_of(lines_, [](const BoxLine& line) { return !line.by_time; });
}

bool Boxes::has_weights() const {
  return options_.feather > 0 ||
         options_.ellipse.value_or(std::ranges::any_of(lines_, &BoxLine::ellipse));
}

Boxes::Moment Boxes::moment_of(const Frame& frame, const BoxClock& clock, bool by_frame) const {
  const double duration = static_cast<double>(frame_duration(frame.av())) * av_q2d(clock.time_base);
  // Rather a frame too many than one too few.
  const auto length = [&](const BoxTime& time) {
    if (time.amount == 0 || time.seconds != by_frame) return time.amount;
    if (!by_frame) return time.amount * duration;
    return std::ceil(time.amount / std::max(duration, shortest_frame) - nearby);
  };
  const double hold = length(options_.hold), grow = length(options_.grow_time);
  if (by_frame) {
    const auto number = static_cast<double>(clock.clock.number_of(frame.number_in_video()));
    return {number, number + 1, hold, grow};
  }
  const double from =
      static_cast<double>(clock.clock.time_of(frame.av().pts, clock.time_base)) / 1e6;
  return {from, from + duration, hold, grow};
}

// Finds the lines of the track that the moment is between, and how far it is from one to the other.
// Returns false if there are none.
bool Boxes::find(const Track& track, const Moment& moment, std::uint32_t& a, std::uint32_t& b,
                 double& part) const {
  const auto place = [&](std::uint32_t i) { return place_of(i); };
  const Lines lines = lines_of(track);
  const double slack = lines_[lines.front()].by_time ? nearby : 0;
  const auto next = std::ranges::lower_bound(lines, moment.from - slack, {}, place);
  if (next == lines.end()) {
    a = b = lines.back();
    part = 0;
    return moment.hold > 0 && moment.from - slack <= place(b) + moment.hold;
  }
  b = *next;
  const bool is_here = place(b) <= moment.from + slack;
  if (next == lines.begin() || is_here) {
    a = b;
    part = 0;
    return is_here || place(b) - moment.hold < moment.to - slack;
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

// Between two lines a box moves in a straight line, so that the rectangle around its places at both
// ends of a stretch and at the lines in it holds all of them.
void Boxes::cover(const Track& track, const Moment& moment, int width, int height,
                  Covered& covered) const {
  covered.lines.clear();
  covered.rect.reset();
  covered.several = false;
  const auto add = [&](double at) {
    std::uint32_t a = 0, b = 0;
    double part = 0;
    if (!find(track, moment.at(at), a, b, part)) return;
    const Rect rect = rect_between_lines(lines_[a], lines_[b], part, width, height);
    covered.lines.insert(covered.lines.end(), {a, b});
    covered.several = covered.several || (covered.rect && *covered.rect != rect);
    covered.rect = covered.rect ? around(*covered.rect, rect) : rect;
  };
  if (moment.grow == 0) return add(moment.from);
  const double from = moment.from - moment.grow, to = moment.from + moment.grow;
  add(from);
  const Lines lines = lines_of(track);
  const auto place = [&](std::uint32_t i) { return place_of(i); };
  for (auto line = std::ranges::lower_bound(lines, from, {}, place);
       line != lines.end() && place(*line) <= to; ++line)
    add(place(*line));
  add(to);
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
  const auto add_near = [&near](const BoxIndex& index, const Moment& moment, double slack) {
    const double beyond = moment.hold + moment.grow + slack;
    index.find(moment.from - beyond, moment.to + beyond, near);
  };
  add_near(by_frame_, by_frame, 0);
  add_near(by_time_, by_time, nearby);
  std::ranges::sort(near);
  for (const std::uint32_t i : near) {
    Track& track = tracks_[i];
    const BoxLine& line = lines_[lines_of(track).front()];
    const int its_filter = line.filter != 0 ? line.filter : options_.filter;
    if (its_filter != 0 && static_cast<std::size_t>(its_filter) != filter + 1) continue;
    cover(track, line.by_time ? by_time : by_frame, width, height, covered_);
    if (!covered_.rect) continue;
    const Rect seen = *covered_.rect;
    const bool inside = !cut(seen, width, height).empty();
    if (note)
      for (const std::uint32_t here : covered_.lines) (inside ? applied_ : outside_)[here] = true;
    if (!inside) continue;
    // An ellipse in the rectangle around several would leave out some of each.
    const bool ellipse = options_.ellipse.value_or(lines_[covered_.lines.front()].ellipse);
    boxes.push_back(
        {stored_rect(seen, shown, frame.width(), frame.height()), ellipse && !covered_.several});
    if (!note || number <= track.last) continue;
    if (track.frames++ == 0) track.first = number;
    track.last = number;
  }
}

std::string Boxes::why_not(std::size_t i) const {
  const BoxLine& line = lines_[i];
  if (outside_[i]) return fmt::format("the box lies outside the picture, which is {}", size_);
  if (line.by_time) return fmt::format("its filters acted on no frame at {} s", line.at);
  return fmt::format("its filters acted on no frame {:.0f}", line.at);
}

void Boxes::check(bool whole) const {
  const std::lock_guard lock(mutex_);
  std::size_t left = 0, first = 0;
  for (std::size_t i = lines_.size(); i-- > 0;) {
    if (applied_[i]) continue;
    const BoxLine& line = lines_[i];
    const bool came = line.by_time
                          ? first_time_ && line.at >= *first_time_ && line.at < *last_time_
                          : first_frame_ && line.at >= static_cast<double>(*first_frame_) &&
                                line.at <= static_cast<double>(*last_frame_);
    if (!whole && !came && !outside_[i]) continue;
    ++left;
    first = i;
  }
  if (left == 0) return;
  throw Error(MessageKind::filter_spec, "boxes were not applied", options_.name(),
              fmt::format("{} of {}, first that of {}: {}", left, lines_.size(),
                          options_.where(lines_[first].line), why_not(first)),
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
