#include "pipeline/platform/thread_priority.h"

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace vidconv {
namespace {

std::set<int> threads_of_process() {
  std::set<int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(std::stoi(entry.path().filename()));
  return threads;
}

}  // namespace

ThreadPriority::ThreadPriority(const AVCodec& encoder) noexcept {
  if (std::string_view(encoder.name) != "libsvtav1") return;
  try {
    before_ = threads_of_process();
    policy_ = sched_getscheduler(0);
    known_ = policy_ >= 0 && sched_getparam(0, &priority_) == 0;
  } catch (const std::exception&) {  // no /proc, no memory
  }
}

ThreadPriority::~ThreadPriority() {
  if (!known_) return;
  sched_setscheduler(0, policy_, &priority_);
  try {
    for (const int thread : threads_of_process())
      if (!before_.contains(thread)) sched_setscheduler(thread, policy_, &priority_);
  } catch (const std::exception&) {
  }
}

}  // namespace vidconv
