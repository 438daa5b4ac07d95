// FrameIndex knows when each frame of a reader is shown, and how to begin with any of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/c/reader_run.h"

namespace vidconv {

// Throws Error(usage) for an input that has gone by when it has been read: a pipe, a device, a
// stream. `from`: how it is read.
void check_lasts(const std::string& input, const SourceOptions& from);

class FrameIndex {
 public:
  // Looks through the packets of the input, or, where these do not tell, decodes all of it: may
  // take as long as reading it. `from`: how a run reads the input; `reach`: of its filters. Throws
  // Error(usage) for an input that can be read once only, and what reading throws.
  FrameIndex(const ReaderOrder& order, const SourceOptions& from, const FrameReach& reach,
             std::atomic<bool>& stop);

  std::int64_t count() const { return steady_.value_or(std::ssize(times_)); }
  // Returns the number of the frame that is shown at a time, in ticks of the video's time base: the
  // last one that does not come later; -1 before the first.
  std::int64_t shown_at(std::int64_t pts) const;
  // Returns when a frame is shown.
  std::int64_t time_of(std::int64_t number) const {
    return steady_ ? number : times_[static_cast<std::size_t>(number)];
  }
  // Returns how a run begins with that frame.
  ReaderStart start_at(std::int64_t number) const;
  // Returns whether a run that stands before frame `at` is with frame `number` sooner by going on
  // than by beginning anew.
  bool goes_on(std::int64_t at, std::int64_t number) const;

  // Returns whether a run can begin with any frame, and need not read those before it.
  bool reads_in_the_middle() const { return by_time_; }
  // Tells that the input is not what its packets say: decodes all of it. Returns false where that
  // was done before.
  bool decode_all();

 private:
  bool survey();

  const ReaderOrder order_;
  const SourceOptions from_;
  const FrameReach reach_;
  std::atomic<bool>& stop_;
  std::vector<std::int64_t> times_;  // when each frame that comes out is shown
  std::vector<std::int64_t> keys_;   // times of key frames, in order; none if frames are not found
                                     // by their times
  VideoInfo video_;                  // as the source describes it
  std::optional<std::int64_t> steady_;  // how many frames, if frame n is shown at n
  bool decoded_ = false;                // by decode_all()
  bool by_time_ = false;                // a run can begin anywhere
};

}  // namespace vidconv
