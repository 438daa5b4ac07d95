// Timeline notes when the device worked on what: busy times of its stages, and spans for a trace.
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

// The events that one frame leaves in the streams it passes. Where times are not wanted, only the
// order is kept.
class Passage {
 public:
  enum Stage : std::uint8_t { upload, convolve, download };

  // `kernels`: the most kernels of a frame's stage.
  explicit Passage(std::size_t kernels);

  // begin() goes before the stage's work is queued, end() after it.
  void begin(Stage stage, const Stream& stream) const {
    if (timed) stream.record(times_[stage].begin);
  }
  void end(Stage stage, const Stream& stream) const {
    if (timed) stream.record(times_[stage].end);
  }
  // Sets which kernels, by their index in Timeline, the stage is made of.
  void set_kernels(std::size_t first, std::size_t count) {
    first_kernel_ = first;
    kernel_count_ = count;
  }
  // Goes after the i-th of the stage's kernels.
  void end_kernel(std::size_t i, const Stream& stream) const {
    if (traced) stream.record(kernels_[i]);
  }

  // Returns the event that the next stage waits for. Whoever knows which frames pass together
  // records it.
  const Event& done(Stage stage) const { return done_[stage]; }

  bool timed = false;   // the device keeps the stages' times
  bool traced = false;  // the device keeps the kernels' times

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
  // `kernels`: their names in order, plain words. `trace` may be null; `track` is the name of its
  // rows. `last`: the last stage that frames pass. The device must be current.
  Timeline(std::vector<std::string> kernels, Trace* trace, const std::string& track,
           Passage::Stage last);

  // Decides whether the next frame's times are kept: every frame's for a trace, else a few frames'.
  void mark(Passage& passage);
  // Takes the times of a frame that has passed all stages.
  void add(const Passage& passage, std::int64_t frame);

  // Returns the stages' times, scaled from the frames whose times were kept to all frames.
  std::vector<StageTime> stages() const;
  std::int64_t frames() const { return all_; }  // frames added

 private:
  Clock::time_point when(const Event& event);
  void trace_frame(const Passage& passage, std::int64_t frame);

  const std::vector<std::string> kernel_names_;
  Trace* const trace_;
  std::array<std::string, 4> tracks_;       // the trace's rows: the stages, and the kernels
  const std::size_t stages_;                // number of stages that frames pass
  std::int64_t marked_ = 0;                 // written by the thread that submits
  std::atomic<std::int64_t> all_ = 0;       // frames added
  std::atomic<std::int64_t> timed_ = 0;     // frames added with times
  std::array<std::atomic<double>, 3> sum_;  // seconds of the timed frames
  // A moment that is known on both clocks.
  std::optional<Stream> clock_stream_;
  Event anchor_{Event::Kind::time}, next_anchor_{Event::Kind::time};
  Clock::time_point anchor_time_;
};

}  // namespace vidconv
