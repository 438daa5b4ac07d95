// Shows a run's progress on stderr, for a person or a program.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "pipeline/run/run.h"
#include "src/options/options.h"
#include "src/process/standard_streams.h"

namespace vidconv {

// The amount of work, as far as it is known.
struct Total {
  std::optional<std::int64_t> frames = {};
  bool exact = false;                  // else frames is an estimate, and seconds are more reliable
  std::optional<double> seconds = {};  // the video's duration
  // Counts several inputs instead of frames: how many have ended, failed ones included.
  struct Files {
    std::int64_t ended = 0, failed = 0, all = 0;
  };
  std::optional<Files> files = {};
};
// Returns the total of all of the source's videos.
Total total_of(const Source& source);

class ProgressDisplay {
 public:
  // ProgressMode::automatic draws a bar if stderr is a terminal, and nothing otherwise.
  ProgressDisplay(ProgressMode mode, Total total);
  // Erases the bar.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // May be called as often as progress changes; prints a few times a second.
  void show(const Progress& progress);
  // Prints the last state, however short a time ago the one before was printed.
  void finish(const Progress& progress);
  // Sets the counts of several inputs; Progress then counts the frames of all of them.
  void set_files(const Total::Files& files) { total_.files = files; }
  // Erases the bar so that a line can be printed; the next show() draws it again. Thread-safe.
  void make_room();

 private:
  void print(const Progress& progress, Patience patience);
  void draw(const std::string& line);

  ProgressMode mode_;
  Total total_;
  const bool dumb_, colour_;  // the terminal cannot erase; it may show colours
  double next_ = 0;           // time of the next output, seconds since the start
  std::mutex mutex_;          // guards the terminal and drawn_
  std::size_t drawn_ = 0;     // columns of the bar; 0: none is drawn
};

// The functions below return the texts that the display prints.

// Returns one line of less than `columns` characters, not counting escape codes. If there is little
// room, the less important facts are left out; empty if there is no room at all.
std::string progress_bar(const Progress& progress, const Total& total, int columns,
                         bool colour = false);
// Returns one line of JSON; docs/progress.schema.json describes it.
std::string progress_json(const Progress& progress, const Total& total);

// Returns the fraction that is done, 0 to 1; empty if it is not known.
std::optional<double> fraction_done(const Progress& progress, const Total& total);

// Returns "1:02:03" or "2:03".
std::string clock_time(double seconds);
// Returns "999 B", "1.2 kB", "34.5 GB".
std::string byte_count(std::int64_t bytes);

}  // namespace vidconv
