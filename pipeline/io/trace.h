// Trace: when each stage worked on which frame, as a file that chrome://tracing and
// https://ui.perfetto.dev show; and the same ranges for NVIDIA's Nsight, through NVTX.
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

// The file is in the Trace Event Format, complete ("X") events with times in microseconds since the
// trace was made: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// Every member may be called from any thread.
class Trace {
 public:
  // What every such file begins with.
  static const std::string_view beginning;

  // The file gets its name when it is complete. Throws Error(output).
  explicit Trace(const std::string& path, PartialFile::Options options = {.what = "the trace"});
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // A row of the picture, made at its first mention; rows are shown in the order of their making.
  // Spans of one row follow one another or nest. `track` and `name` are plain words: no quotes, no
  // backslashes.
  void add(const std::string& track, const std::string& name, std::int64_t frame,
           Clock::time_point begin, Clock::time_point end);

  // Completes the file, whatever may be added later. Throws Error(output) where it could not be
  // written: there is none then, as where the program dies.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const std::string path_;
  PartialFile partial_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;                        // of all below
  std::unique_ptr<std::FILE, Close> file_;  // none once it is finished
  std::map<std::string, int> tracks_;
};

// A range for Nsight on this thread's row; nothing in a build without CUDA, and next to nothing
// where no profiler listens.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

// What a stage does, from construction to destruction.
class TraceSpan {
 public:
  // `trace` may be null: then this costs nothing but the NVTX range. `name` is also the track's.
  TraceSpan(Trace* trace, const char* name, std::int64_t frame = -1)
      : range_(name), trace_(trace), name_(name), frame_(frame) {
    if (trace_) begin_ = Clock::now();
  }
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // Where the frame is known only at the end. What has worked on no frame is not noted.
  void set_frame(std::int64_t frame) { frame_ = frame; }

 private:
  const NvtxRange range_;
  Trace* trace_;
  const char* const name_;
  std::int64_t frame_;
  Clock::time_point begin_;
};

}  // namespace vidconv
