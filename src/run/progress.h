// How far the work has come, for a person or a program, on stderr.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "pipeline/run/run.h"
#include "src/options/options.h"
#include "src/process/standard_streams.h"

namespace vidconv {

// What there is to do, where that is known.
struct Total {
  std::optional<std::int64_t> frames = {};
  bool exact = false;                  // else frames is an estimate, and seconds say more
  std::optional<double> seconds = {};  // of the video's time
  // Of several inputs, instead of frames: how many have come to an end, failed ones included.
  struct Files {
    std::int64_t ended = 0, failed = 0, all = 0;
  };
  std::optional<Files> files = {};
};
// Of all its videos.
Total total_of(const Source& source);

class ProgressDisplay {
 public:
  // `automatic` draws a bar where stderr is a terminal and says nothing elsewhere.
  ProgressDisplay(ProgressMode mode, Total total);
  // Takes the bar away.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // To be called as often as it happens; prints a few times a second.
  void show(const Progress& progress);
  // Prints the last state, whenever the one before was.
  void finish(const Progress& progress);
  // Of several inputs; the frames in Progress are those of all of them.
  void set_files(const Total::Files& files) { total_.files = files; }
  // Takes the bar away so that a line can be printed; it comes back with the next show(). Any
  // thread.
  void make_room();

 private:
  void print(const Progress& progress, Patience patience);
  void draw(const std::string& line);

  ProgressMode mode_;
  Total total_;
  const bool dumb_, colour_;  // the terminal: cannot erase; may be coloured
  double next_ = 0;           // seconds since the start
  std::mutex mutex_;          // of what is on the terminal
  std::size_t drawn_ = 0;     // columns of the bar; 0: it is not there
};

// The texts, apart from where they go.

// One line of less than `columns` characters, escape codes not counted. Where there is little room,
// the less important facts are left out whole; empty where there is room for nothing.
std::string progress_bar(const Progress& progress, const Total& total, int columns,
                         bool colour = false);
// docs/progress.schema.json describes it.
std::string progress_json(const Progress& progress, const Total& total);

// How much is done, 0 to 1; none where that is not known.
std::optional<double> fraction_done(const Progress& progress, const Total& total);

// "1:02:03" or "2:03".
std::string clock_time(double seconds);
// "999 B", "1.2 kB", "34.5 GB"
std::string byte_count(std::int64_t bytes);

}  // namespace vidconv
