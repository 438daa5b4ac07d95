// Verifier: computes some of the frames again in another way and compares bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/filter/processor.h"

namespace vidconv {

class Verifier {
 public:
  // Checks frames 0, every, 2 * every, ... with `other`, which does the same work on another device
  // or with another variant.
  Verifier(std::unique_ptr<Processor> other, std::int64_t every);

  // Sees each frame before it is filtered; keeps a reference to those that will be checked.
  void keep(const Frame& input);
  // Sees each filtered frame, in the same order; may run concurrently with keep(). Throws
  // Error(verification) that names frame, component, position and both codes.
  void check(const Frame& output);

  std::int64_t checked() const { return checked_; }
  // Says, for people, how they are computed again: "cpu-generic", "NVIDIA H200 (cuda:0)".
  std::string other() const;

 private:
  std::unique_ptr<Processor> other_;
  const std::int64_t every_;
  std::int64_t checked_ = 0;
  std::mutex mutex_;  // guards kept_
  std::deque<Frame> kept_;
};

}  // namespace vidconv
