// Shows the progress of several outputs as that of the one that is furthest behind.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "src/run/progress.h"

namespace vidconv {

// All members are thread-safe.
class OutputsProgress {
 public:
  OutputsProgress(ProgressMode mode, const Total& total, std::size_t outputs)
      : states_(outputs), display_(mode, total) {}

  // Takes the current state of output `number`.
  void show(std::size_t number, const Progress& progress);
  // Output `number` has failed: the others' progress is shown.
  void leave(std::size_t number);
  // To be called after the last frame.
  void finish();

  // Returns the display, in which messages make room for themselves.
  ProgressDisplay& display() { return display_; }

 private:
  std::optional<Progress> hindmost() const;

  struct State {
    Progress progress;
    bool failed = false;
  };
  std::mutex mutex_;  // guards all below
  std::vector<State> states_;
  ProgressDisplay display_;
};

}  // namespace vidconv
