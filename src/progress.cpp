#include "src/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace vidconv {
namespace {

double frames_per_second(const Progress& p) {
  return p.seconds > 0 ? static_cast<double>(p.encoded) / p.seconds : 0;
}

// An input may hold more frames than it announced: no false percentage then.
std::optional<double> fraction(const Progress& p, std::optional<std::int64_t> total) {
  if (!total || *total <= 0 || p.encoded > *total) return std::nullopt;
  return static_cast<double>(p.encoded) / static_cast<double>(*total);
}

std::optional<double> seconds_left(const Progress& p, std::optional<std::int64_t> total) {
  const auto done = fraction(p, total);
  if (!done || *done <= 0) return std::nullopt;
  return p.seconds * (1 - *done) / *done;
}

int terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
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

std::string progress_bar(const Progress& p, std::optional<std::int64_t> total, int columns) {
  const auto done = fraction(p, total);
  std::string facts =
      done ? fmt::format("{}/{}", p.encoded, *total) : fmt::format("{} frames", p.encoded);
  facts += fmt::format("  {:.1f} fps", frames_per_second(p));
  facts += done ? "" : "  " + clock_time(p.seconds);
  if (const auto left = seconds_left(p, total)) facts += "  ETA " + clock_time(*left);
  if (const std::string stage = limiting_stage(p.stages); !stage.empty())
    facts += "  limit: " + stage;

  std::string line;
  if (done) line = fmt::format("{:3.0f}% ", std::floor(*done * 100));
  const int room = columns - 1 - static_cast<int>(line.size() + facts.size()) - 4;
  if (done && room >= 8) {
    const int width = std::min(room, 40);
    const int full = static_cast<int>(*done * width);
    line += fmt::format("[{:#<{}}{: <{}}] ", "", full, "", width - full);
  }
  line += facts;
  if (static_cast<int>(line.size()) >= columns)
    line.resize(static_cast<std::size_t>(std::max(0, columns - 1)));
  return line;
}

std::string progress_json(const Progress& p, std::optional<std::int64_t> total) {
  nlohmann::ordered_json j;
  j["frame"] = p.encoded;
  j["decoded"] = p.decoded;
  j["filtered"] = p.filtered;
  j["total"] = total ? nlohmann::ordered_json(*total) : nullptr;
  const auto done = fraction(p, total);
  j["percent"] = done ? nlohmann::ordered_json(*done * 100) : nullptr;
  j["seconds"] = p.seconds;
  j["fps"] = frames_per_second(p);
  const auto left = seconds_left(p, total);
  j["eta_seconds"] = left ? nlohmann::ordered_json(*left) : nullptr;
  j["limiting_stage"] = limiting_stage(p.stages);
  return j.dump();
}

ProgressDisplay::ProgressDisplay(ProgressMode mode, std::optional<std::int64_t> total)
    : mode_(resolve(mode)), total_(total) {}

ProgressDisplay::~ProgressDisplay() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressDisplay::show(const Progress& progress) {
  if (mode_ == ProgressMode::none || progress.seconds < next_) return;
  next_ = progress.seconds + (mode_ == ProgressMode::automatic ? 0.1 : 1.0);
  print(progress);
}

void ProgressDisplay::finish(const Progress& progress) {
  if (mode_ == ProgressMode::plain || mode_ == ProgressMode::json) print(progress);
}

void ProgressDisplay::print(const Progress& progress) {
  switch (mode_) {
    case ProgressMode::automatic:
      fmt::print(stderr, "\r{}\033[K", progress_bar(progress, total_, terminal_columns()));
      drawn_ = true;
      break;
    case ProgressMode::plain:
      fmt::print(stderr, "{}\n", progress_bar(progress, total_, 120));
      break;
    case ProgressMode::json:
      fmt::print(stderr, "{}\n", progress_json(progress, total_));
      break;
    case ProgressMode::none:
      break;
  }
  std::fflush(stderr);
}

}  // namespace vidconv
