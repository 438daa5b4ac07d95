// Does all that vidconv does to the process it is part of, beyond its own objects; nothing else in
// kernels/ and pipeline/ touches what a whole program shares.
//
// Two things happen unasked, unless leave_process_alone() forbids it: libav*'s log is redirected
// from stderr when the first source or sink is opened, and SIGPIPE is ignored when the first output
// is written. Others happen on request: catch_library_words(), and pin_when_awake() and
// keep_pinned_memory() of device/cuda.h. Hooks for tests do nothing until a test sets them.
// (Registries that only vidconv's own objects use are next to these: AvErrors, names of unfinished
// files, pools of threads.)
#pragma once

#include <atomic>
#include <cstdint>

namespace vidconv {

// Serves programs with a log and signals of their own; call it before anything else of the
// pipeline. libav*'s log then stays theirs. They have to ignore SIGPIPE themselves, or end when the
// reader of an output goes away; damage that only libav*'s log mentions is not counted, and
// messages do not quote libav*'s log. To have that all the same, they call hear_av_log() (av_log.h)
// from their own callback.
void leave_process_alone();

// Redirects libav*'s log from stderr to hear_av_log(). Calling it again does nothing.
void capture_av_log();
bool av_log_is_captured();

// Makes a reader that has gone away an ordinary error, instead of a signal.
void ignore_broken_pipes();

// From now on libraries below libav* say nothing but errors, and only to CapturedStderr
// (captured_stderr.h): glibc's stream `stderr` is replaced, descriptor 2 stays. The program itself
// has to print its messages to that descriptor. Call it before the process has threads.
void catch_library_words();

// Holds the state that all CUDA devices share.
struct CudaProcessState {
  std::atomic<bool> pins_later = false;      // pin_when_awake() was called, wake_devices() not yet
  std::atomic<bool> pinning_failed = false;  // a device had no more pinned memory
  // The device that pins memory for all, and the host's nodes that memory comes from, among the
  // devices that wake_devices() woke.
  std::atomic<int> home = 0;
  std::atomic<std::uint64_t> nodes = 0;
  // Hooks for tests: how many blocks were allocated or pinned, see cuda_allocations(), and calls
  // that are to fail with a CUDA error code, see fail_cuda_after().
  std::atomic<std::int64_t> allocations = 0;
  std::atomic<int> calls_to_failure = 0, failures_left = 0, failure = 0;
};
CudaProcessState& cuda_process_state();

}  // namespace vidconv
