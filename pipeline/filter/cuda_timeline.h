// When the device worked on what: busy times of its stages, and spans for a trace.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/filter/processor.h"
#include "pipeline/io/trace.h"

namespace vidconv {

// The marks that one frame leaves in the streams it passes. Where times are not wanted only the
// order is kept.
class Passage {
 public:
  enum Stage : std::uint8_t { upload, convolve, download };

  // `kernels`: the most that a frame's stage is made of.
  explicit Passage(std::size_t kernels);

  // Before the stage's work is queued; after it; `timed` as for the whole frame.
  void begin(Stage stage, const Stream& stream) const {
    if (timed) stream.record(times_[stage].begin);
  }
  void end(Stage stage, const Stream& stream) const {
    if (timed) stream.record(times_[stage].end);
  }
  // Which of the kernels, as Timeline counts them, the stage is made of.
  void set_kernels(std::size_t first, std::size_t count) {
    first_kernel_ = first;
    kernel_count_ = count;
  }
  // After the i-th of the stage's kernels.
  void end_kernel(std::size_t i, const Stream& stream) const {
    if (traced) stream.record(kernels_[i]);
  }

  // What the next stage waits for; to be recorded by whoever knows which frames pass together.
  const Event& done(Stage stage) const { return done_[stage]; }

  bool timed = false;   // whether the device keeps the times of the stages,
  bool traced = false;  // and of the kernels

 private:
  friend class Timeline;
  struct Times {
    Event begin{Event::Kind::time}, end{Event::Kind::time};
  };
  std::array<Event, 3> done_{Event(Event::Kind::order), Event(Event::Kind::order),
                             Event(Event::Kind::order)};
  std::array<Times, 3> times_;
  std::vector<Event> kernels_;
  std::size_t first_kernel_ = 0, kernel_count_ = 0;
};

class Timeline {
 public:
  // `kernels`: their names in order, plain words. `trace` may be null; `track` is what its rows are
  // called. `last`: of the stages that frames pass. The device is current.
  Timeline(std::vector<std::string> kernels, Trace* trace, const std::string& track,
           Passage::Stage last);

  // Decides whether the times of the next frame are kept: of every one for a trace, else of a few.
  void mark(Passage& passage);
  // Takes the times of a frame that has passed them all.
  void add(const Passage& passage, std::int64_t frame);

  // From the frames whose times were kept to all.
  std::vector<StageTime> stages() const;
  std::int64_t frames() const { return all_; }  // added

 private:
  Clock::time_point when(const Event& event);
  void trace_frame(const Passage& passage, std::int64_t frame);

  const std::vector<std::string> kernel_names_;
  Trace* const trace_;
  std::array<std::string, 4> tracks_;       // rows of the trace: the stages, and the kernels
  const std::size_t stages_;                // of the three, that frames pass
  std::int64_t marked_ = 0;                 // written by the thread that submits
  std::atomic<std::int64_t> all_ = 0;       // frames added
  std::atomic<std::int64_t> timed_ = 0;     // of these with times
  std::array<std::atomic<double>, 3> sum_;  // seconds of those
  // A moment that is known by both clocks.
  std::optional<Stream> clock_stream_;
  Event anchor_{Event::Kind::time}, next_anchor_{Event::Kind::time};
  Clock::time_point anchor_time_;
};

}  // namespace vidconv
