// All that vidconv does to the process it is part of, beyond its own objects; nothing else in
// kernels/ and pipeline/ touches what a whole program shares.
//
// Done unasked, unless leave_process_alone() forbids it: libav*'s log is taken away from stderr
// when the first source or sink is opened, and SIGPIPE is ignored when the first output is written.
// Done where it is asked for: catch_library_words(), and pin_when_awake() and keep_pinned_memory()
// of device/cuda.h. Hooks for tests do nothing until a test sets them. (Registries that only
// vidconv's own objects look into are with these: AvErrors, names of unfinished files, pools of
// threads.)
#pragma once

#include <atomic>
#include <cstdint>

namespace vidconv {

// For programs with a log and signals of their own; before anything else of the pipeline is used.
// What libav* logs is theirs then. They have to ignore SIGPIPE themselves, or end where the reader
// of an output has gone; damage that nothing but libav*'s log speaks of is not counted, and
// messages do not say what libav* has logged. To have that all the same they call hear_av_log()
// (av_log.h) from their own callback.
void leave_process_alone();

// Takes libav*'s log away from stderr: hear_av_log() gets it. Calling it again does nothing.
void capture_av_log();
bool av_log_is_captured();

// A reader that has gone is an error like others.
void ignore_broken_pipes();

// From now on libraries below libav* say nothing but errors, and these only to CapturedStderr
// (library_words.h): glibc's stream `stderr` is another, the descriptor 2 stays. The words of the
// program itself have to leave by that descriptor. Before the process has threads.
void catch_library_words();

// Of all CUDA devices.
struct CudaProcessState {
  std::atomic<bool> pins_later = false;      // pin_when_awake() was called, wake_devices() not yet
  std::atomic<bool> pinning_failed = false;  // a device had no more pinned memory
  // The device that pins memory for all, and the host's nodes that memory comes from: of those that
  // wake_devices() woke.
  std::atomic<int> home = 0;
  std::atomic<std::uint64_t> nodes = 0;
  // Hooks for tests: blocks that were allocated or pinned, see cuda_allocations(), and calls that
  // are to fail with a code of CUDA's, see fail_cuda_after().
  std::atomic<std::int64_t> allocations = 0;
  std::atomic<int> calls_to_failure = 0, failures_left = 0, failure = 0;
};
CudaProcessState& cuda_process_state();

}  // namespace vidconv
