#include "pipeline/platform/process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

extern "C" {
#include <libavutil/log.h>
}

#include "pipeline/av/av_log.h"
#include "pipeline/platform/captured_stderr.h"

namespace vidconv {
namespace {

std::atomic<bool> left_alone = false, captured = false;

// Receives what is written to the stream that fopencookie() makes.
ssize_t hear_stderr(void*, const char* text, std::size_t size) {
  hear_library_words({text, size});
  return static_cast<ssize_t>(size);
}

}  // namespace

void leave_process_alone() { left_alone = true; }

void capture_av_log() {
  if (left_alone) return;
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(hear_av_log); });
  captured = true;
}

bool av_log_is_captured() { return captured; }

void ignore_broken_pipes() {
  if (!left_alone) std::signal(SIGPIPE, SIG_IGN);
}

void catch_library_words() {
  setenv("SVT_LOG", "1", 0);  // log errors only
  // The descriptor is left alone: it stays usable when nothing else works.
  std::FILE* const stream = fopencookie(
      nullptr, "w", {.read = nullptr, .write = hear_stderr, .seek = nullptr, .close = nullptr});
  if (!stream) return;
  std::setvbuf(stream, nullptr, _IOLBF, BUFSIZ);
  stderr = stream;
}

CudaProcessState& cuda_process_state() {
  static CudaProcessState state;
  return state;
}

}  // namespace vidconv
