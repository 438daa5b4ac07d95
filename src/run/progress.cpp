#include "src/run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace vidconv {
namespace {

constexpr int plain_columns = 120;

double frames_per_second(const Progress& p) {
  return p.seconds > 0 ? static_cast<double>(p.encoded - p.brought) / p.seconds : 0;
}

bool goes_by_time(const Total& total) { return !total.exact && total.seconds; }

double speed(const Progress& p) {
  return p.seconds > 0 ? (p.position - p.brought_seconds) / p.seconds : 0;
}

// The share of what is done that was done by this run.
double own_share(const Progress& p) {
  return p.encoded > 0 ? static_cast<double>(p.encoded - p.brought) / static_cast<double>(p.encoded)
                       : 1;
}

std::optional<double> seconds_left(const Progress& p, const Total& total) {
  const auto done = fraction_done(p, total);
  if (!done || *done * own_share(p) <= 0) return std::nullopt;
  return p.seconds * (1 - *done) / (*done * own_share(p));
}

// Returns the total number of frames, estimated from those done if only the duration is known;
// empty if neither is known.
std::optional<std::int64_t> frames_in_all(const Progress& p, const Total& total) {
  const auto done = fraction_done(p, total);
  if (goes_by_time(total))
    return done && *done > 0
               ? std::optional<std::int64_t>(std::llround(static_cast<double>(p.encoded) / *done))
               : std::nullopt;
  return total.frames && p.encoded <= *total.frames ? total.frames : std::nullopt;
}

// Returns "12/34", "12/~34" if the total is an estimate, "12 frames" if there is none.
std::string frame_count(const Progress& p, const Total& total) {
  const auto all = frames_in_all(p, total);
  if (!all) return fmt::format("{} frames", p.encoded);
  return fmt::format("{}/{}{}", p.encoded, total.exact ? "" : "~", *all);
}

std::string speed_text(double times) {
  return times < 10 ? fmt::format("{:.2f}x", times) : fmt::format("{:.0f}x", times);
}

int terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

ProgressMode resolve(ProgressMode mode) {
  // A bar needs a terminal that can go back to the start of its line.
  if (mode == ProgressMode::automatic && !isatty(STDERR_FILENO)) return ProgressMode::none;
  return mode;
}

}  // namespace

std::string clock_time(double seconds) {
  const long s = std::lround(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::string byte_count(std::int64_t bytes) {
  double value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.95) break;
    value /= 1000;
    unit = next;
  }
  return unit[0] == 'B' ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, unit);
}

Total total_of(const Source& source) {
  Total total{.frames = 0, .exact = true, .seconds = 0};
  for (const auto& [stream, video] : source.videos()) {
    total.exact &= video.frames_are_exact;
    if (!video.frames) total.frames.reset();
    if (total.frames) *total.frames += *video.frames;
    if (!video.seconds) total.seconds.reset();
    if (total.seconds) total.seconds = std::max(*total.seconds, *video.seconds);
  }
  return total;
}

std::optional<double> fraction_done(const Progress& p, const Total& total) {
  if (total.files && total.files->all == 0) return std::nullopt;  // none has come yet
  if (total.files)
    return static_cast<double>(total.files->ended) / static_cast<double>(total.files->all);
  double done = static_cast<double>(p.encoded);
  double all = static_cast<double>(total.frames.value_or(0));
  if (goes_by_time(total)) {
    all = *total.seconds;
    // The last frame may end after the requested range, and many containers round times.
    const double frame = p.encoded > 0 ? p.position / static_cast<double>(p.encoded) : 0;
    done = p.position <= all + std::max(frame, 0.1) ? std::min(p.position, all) : p.position;
  }
  // An input may hold more than it announced: a percentage would be false then.
  if (all <= 0 || done > all) return std::nullopt;
  return done / all;
}

std::string progress_bar(const Progress& p, const Total& total, int columns, bool colour) {
  constexpr std::size_t narrowest = 8, widest = 40;  // the bar's columns, without brackets
  struct Fact {
    int rank;  // 0 is left out last
    std::string text;
  };
  const auto done = fraction_done(p, total);
  const auto left = seconds_left(p, total);
  const std::string stage = limiting_stage(p.stages);
  std::string bar_room(narrowest + 2, ' ');
  // Facts in the order of the line; unknown ones are empty.
  std::vector<Fact> facts = {
      {0, done ? fmt::format("{:3.0f}%", std::floor(*done * 100)) : ""},
      {4, done ? bar_room : ""},
      {1, total.files ? fmt::format("{}/{} files", total.files->ended, total.files->all)
                      : frame_count(p, total)},
      {3, p.seconds > 0 ? fmt::format("{:.1f} fps", frames_per_second(p)) : ""},
      {5, p.seconds > 0 ? speed_text(speed(p)) : ""},
      {6, p.bytes > 0 ? byte_count(p.bytes) : ""},
      {2, left ? "ETA " + clock_time(*left) : clock_time(p.seconds)},
      {8, p.parts > 0 ? fmt::format("{} parts", p.parts) : ""},
      {7, stage.empty() ? "" : "limit: " + stage},
  };
  std::erase_if(facts, [](const Fact& fact) { return fact.text.empty(); });

  const auto width = [&] {
    std::size_t sum = 2 * (facts.size() - 1);  // two spaces between them
    for (const Fact& fact : facts) sum += fact.text.size();
    return sum;
  };
  const auto room = static_cast<std::size_t>(std::max(columns - 1, 0));
  while (!facts.empty() && width() > room)
    facts.erase(std::ranges::max_element(facts, {}, &Fact::rank));
  if (facts.empty()) return "";

  if (const auto bar = std::ranges::find(facts, 4, &Fact::rank); bar != facts.end()) {
    const std::size_t size = std::min(narrowest + room - width(), widest);
    const std::size_t full = static_cast<std::size_t>(*done * static_cast<double>(size));
    const std::string filled(full, '#'), empty(size - full, ' ');
    bar->text = colour ? fmt::format("[\033[32m{}\033[0m{}]", filled, empty)
                       : fmt::format("[{}{}]", filled, empty);
  }
  std::string line;
  for (const Fact& fact : facts) line += (line.empty() ? "" : "  ") + fact.text;
  return line;
}

std::string progress_json(const Progress& p, const Total& total) {
  using Json = nlohmann::ordered_json;
  const auto maybe = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const auto done = fraction_done(p, total);
  Json j;
  j["schema"] = 1;
  j["frame"] = p.encoded;
  j["decoded"] = p.decoded;
  j["filtered"] = p.filtered;
  j["total"] = maybe(frames_in_all(p, total));
  j["total_is_exact"] = total.exact;
  j["percent"] = done ? Json(100 * *done) : Json(nullptr);
  j["seconds"] = p.seconds;
  j["fps"] = frames_per_second(p);
  j["position_seconds"] = p.position;
  j["total_seconds"] = maybe(total.seconds);
  j["speed"] = speed(p);
  j["bytes"] = p.bytes;
  j["parts"] = p.parts;
  j["eta_seconds"] = maybe(seconds_left(p, total));
  j["limiting_stage"] = limiting_stage(p.stages);
  j["files"] = nullptr;
  if (const auto& files = total.files)
    j["files"] = {{"ended", files->ended}, {"failed", files->failed}, {"total", files->all}};
  return j.dump();
}

ProgressDisplay::ProgressDisplay(ProgressMode mode, Total total)
    : mode_(resolve(mode)),
      total_(total),
      dumb_(variable("TERM").empty() || variable("TERM") == "dumb"),
      colour_(!dumb_ && variable("NO_COLOR").empty()) {}

ProgressDisplay::~ProgressDisplay() { make_room(); }

void ProgressDisplay::make_room() {
  const std::lock_guard lock(mutex_);
  if (drawn_ == 0) return;
  draw("");
  draw_on_stderr("\r");
}

// Draws over the previous bar.
void ProgressDisplay::draw(const std::string& line) {
  const auto escapes = colour_ && line.find('\033') != std::string::npos
                           ? std::string_view("\033[32m\033[0m").size()
                           : 0;
  const std::size_t size = line.size() - escapes;
  if (dumb_)
    draw_on_stderr(fmt::format("\r{}{:{}}", line, "", drawn_ > size ? drawn_ - size : 0));
  else
    draw_on_stderr(fmt::format("\r{}\033[K", line));
  drawn_ = size;
}

void ProgressDisplay::show(const Progress& progress) {
  if (mode_ == ProgressMode::none || progress.seconds < next_) return;
  next_ = progress.seconds + (mode_ == ProgressMode::automatic ? 0.1 : 1.0);
  print(progress, Patience::none);
}

void ProgressDisplay::finish(const Progress& progress) {
  if (mode_ == ProgressMode::plain || mode_ == ProgressMode::json)
    print(progress, Patience::a_moment);
}

void ProgressDisplay::print(const Progress& progress, Patience patience) {
  switch (mode_) {
    case ProgressMode::automatic: {
      const std::lock_guard lock(mutex_);
      draw(progress_bar(progress, total_, terminal_columns(), colour_));
      break;
    }
    case ProgressMode::plain:
      print_error_line(progress_bar(progress, total_, plain_columns), patience);
      break;
    case ProgressMode::json:
      print_error_line(progress_json(progress, total_), patience);
      break;
    case ProgressMode::none:
      break;
  }
}

}  // namespace vidconv
