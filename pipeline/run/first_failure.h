// FirstFailure: handles failures of stages that run concurrently.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {

// Runs `stage(frame)`, which keeps `frame` at the number of the frame it works on, and turns
// whatever it throws into an Error that carries the number.
template <class F>
void with_frame_number(F&& stage) {
  std::optional<std::int64_t> frame;
  try {
    stage(frame);
  } catch (...) {
    Error error = current_error();
    if (frame) error.set_frame(*frame);
    throw error;
  }
}

// Keeps the first failure of several stages, and stops them all.
class FirstFailure {
 public:
  explicit FirstFailure(std::function<void()> stop_all) : stop_all_(std::move(stop_all)) {}

  template <class F>
  void guard(F&& stage) {
    try {
      with_frame_number(stage);
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = std::current_exception();
      }
      stop_all_();
    }
  }

  // Throws the first failure, if any. Call it after every stage has ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  const std::function<void()> stop_all_;
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace vidconv
