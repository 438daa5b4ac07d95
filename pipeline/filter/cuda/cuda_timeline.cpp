#include "pipeline/filter/cuda/cuda_timeline.h"

#include <utility>

namespace vidconv {
namespace {

// One frame in so many is timed, because copies wait for the events between them. It is more of the
// first frames, so that short runs have some times.
constexpr std::int64_t sampling = 16, sampling_later = 64, first_ones = 256;
constexpr const char* names[] = {"upload", "convolve", "download"};

}  // namespace

Passage::Passage(std::size_t kernels) {
  for (std::size_t i = 0; i < kernels; ++i) kernels_.emplace_back(Event::Kind::time);
}

Timeline::Timeline(std::vector<std::string> kernels, Trace* trace, const std::string& track,
                   Passage::Stage last)
    : kernel_names_(std::move(kernels)),
      trace_(trace),
      tracks_{track + ": upload", track + ": convolve", track + ": download", track + ": kernels"},
      stages_(last + std::size_t{1}) {
  if (!trace_) return;
  clock_stream_.emplace();
  clock_stream_->record(anchor_);
  clock_stream_->synchronise();
  anchor_time_ = Clock::now();
}

void Timeline::mark(Passage& passage) {
  passage.traced = trace_ != nullptr;
  passage.timed = trace_ || marked_ % (marked_ < first_ones ? sampling : sampling_later) == 0;
  ++marked_;
}

void Timeline::add(const Passage& passage, std::int64_t frame) {
  ++all_;
  if (!passage.timed) return;
  ++timed_;
  for (std::size_t i = 0; i < stages_; ++i)
    sum_[i] = sum_[i] + Event::seconds(passage.times_[i].begin, passage.times_[i].end);
  if (passage.traced) trace_frame(passage, frame);
}

std::vector<StageTime> Timeline::stages() const {
  const std::int64_t timed = timed_;
  const double scale = timed > 0 ? static_cast<double>(all_) / static_cast<double>(timed) : 0;
  std::vector<StageTime> stages;
  for (std::size_t i = 0; i < stages_; ++i) stages.push_back({names[i], sum_[i] * scale});
  return stages;
}

// Differences of events are floats of milliseconds: over more than some seconds they grow too
// coarse, so the anchor moves along.
Clock::time_point Timeline::when(const Event& event) {
  const auto from_anchor = [&](const Event& e) {
    return anchor_time_ + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(Event::seconds(anchor_, e)));
  };
  const Clock::time_point time = from_anchor(event);
  if (time - anchor_time_ > std::chrono::seconds(1)) {
    clock_stream_->record(next_anchor_);
    clock_stream_->synchronise();
    anchor_time_ = from_anchor(next_anchor_);
    std::swap(anchor_, next_anchor_);
  }
  return time;
}

void Timeline::trace_frame(const Passage& passage, std::int64_t frame) {
  for (std::size_t i = 0; i < stages_; ++i) {
    const Clock::time_point begin = when(passage.times_[i].begin);
    trace_->add(tracks_[i], names[i], frame, begin, when(passage.times_[i].end));
    if (i != Passage::convolve) continue;
    Clock::time_point last = begin;
    for (std::size_t k = 0; k < passage.kernel_count_; ++k) {
      const Clock::time_point end = when(passage.kernels_[k]);
      trace_->add(tracks_[3], kernel_names_[passage.first_kernel_ + k], frame, last, end);
      last = end;
    }
  }
}

}  // namespace vidconv
