// Trace: records when each stage worked on which frame, in a file for chrome://tracing and
// https://ui.perfetto.dev, and as ranges for NVIDIA's Nsight, through NVTX.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "pipeline/base/stopwatch.h"
#include "pipeline/io/partial_file.h"

namespace vidconv {

// Writes the Trace Event Format, complete ("X") events with times in microseconds since the trace
// was made: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU Every
// member is thread-safe.
class Trace {
 public:
  // Every such file begins like this.
  static const std::string_view beginning;

  // The file gets its name when it is complete. Throws Error(output).
  explicit Trace(const std::string& path, PartialFile::Options options = {.what = "the trace"});
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Adds a span to a row, which is made at its first mention; rows are shown in that order. Spans
  // of one row follow one another or nest. `track` and `name` are plain words: no quotes, no
  // backslashes.
  void add(const std::string& track, const std::string& name, std::int64_t frame,
           Clock::time_point begin, Clock::time_point end);

  // Completes the file; later spans are dropped. Throws Error(output) where it could not be
  // written: there is no file then, as where the program dies.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const std::string path_;
  PartialFile partial_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;                        // guards all below
  std::unique_ptr<std::FILE, Close> file_;  // null once it is finished
  std::map<std::string, int> tracks_;
};

// Marks a range for Nsight on this thread's row; costs nothing in a build without CUDA, and next to
// nothing without a profiler.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

// Records a stage's work, from construction to destruction.
class TraceSpan {
 public:
  // `trace` may be null: then only the NVTX range is made. `name` is also the track's.
  TraceSpan(Trace* trace, const char* name, std::int64_t frame = -1)
      : range_(name), trace_(trace), name_(name), frame_(frame) {
    if (trace_) begin_ = Clock::now();
  }
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // Sets the frame where it is known only at the end. A span without a frame is not recorded.
  void set_frame(std::int64_t frame) { frame_ = frame; }

 private:
  const NvtxRange range_;
  Trace* trace_;
  const char* const name_;
  std::int64_t frame_;
  Clock::time_point begin_;
};

}  // namespace vidconv
