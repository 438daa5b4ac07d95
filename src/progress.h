// How far the work has come, for a person or a program, on stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/run.h"
#include "src/options.h"

namespace vidconv {

class ProgressDisplay {
 public:
  // `total`: how many frames are expected, if that is known. `automatic` draws a bar where stderr
  // is a terminal and says nothing elsewhere.
  ProgressDisplay(ProgressMode mode, std::optional<std::int64_t> total);
  // Takes the bar away.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // To be called as often as it happens; prints a few times a second.
  void show(const Progress& progress);
  // Prints the last state, whenever the one before was.
  void finish(const Progress& progress);

 private:
  void print(const Progress& progress);

  ProgressMode mode_;
  std::optional<std::int64_t> total_;
  double next_ = 0;  // seconds since the start
  bool drawn_ = false;
};

// The texts, apart from where they go.
std::string progress_bar(const Progress& progress, std::optional<std::int64_t> total, int columns);
std::string progress_json(const Progress& progress, std::optional<std::int64_t> total);

// "1:02:03" or "2:03".
std::string clock_time(double seconds);

}  // namespace vidconv
