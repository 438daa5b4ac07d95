#include "pipeline/av/process.h"

#include <csignal>
#include <cstdlib>
#include <mutex>

extern "C" {
#include <libavutil/log.h>
}

#include "pipeline/av/av_log.h"

namespace vidconv {
namespace {

std::atomic<bool> left_alone = false;
std::atomic<bool> words_are_caught = false;

}  // namespace

void leave_process_alone() { left_alone = true; }

void capture_av_log() {
  if (left_alone) return;
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(hear_av_log); });
}

void ignore_broken_pipes() {
  if (!left_alone) std::signal(SIGPIPE, SIG_IGN);
}

void catch_library_words() {
  setenv("SVT_LOG", "1", 0);  // SVT-AV1's level of errors
  words_are_caught = true;
}
bool library_words_are_caught() { return words_are_caught; }

CudaProcessState& cuda_process_state() {
  static CudaProcessState state;
  return state;
}

}  // namespace vidconv
