// Wraps a processor and shows each filtered frame beside the one that went in.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/error.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/processor_around.h"

namespace vidconv {

// Takes frames in host memory only.
class BesideOriginals : public ProcessorAround {
 public:
  bool submit(Frame frame) final {
    if (frame.on_device())
      throw Error(Fault::internal, "a frame to " + stage_ + " is not in host memory", "", "");
    {
      const std::lock_guard lock(mutex_);
      originals_.push_back(frame.share());
    }
    return ProcessorAround::submit(std::move(frame));
  }
  std::optional<Frame> collect() final {
    std::optional<Frame> filtered = ProcessorAround::collect();
    if (!filtered) return std::nullopt;
    std::unique_lock lock(mutex_);
    const Frame original = std::move(originals_.front());
    originals_.pop_front();
    lock.unlock();
    return busy_.time([&] { return see(original, std::move(*filtered)); });
  }
  std::vector<StageTime> stages() const final {
    std::vector<StageTime> all = ProcessorAround::stages();
    all.push_back({stage_, busy_.seconds()});
    return all;
  }

 protected:
  BesideOriginals(std::unique_ptr<Processor> filter, std::string stage)
      : ProcessorAround(std::move(filter)), stage_(std::move(stage)) {}

 private:
  // Returns the frame to give out. Called in order on the thread that collects.
  virtual Frame see(const Frame& original, Frame filtered) = 0;

  const std::string stage_;
  std::mutex mutex_;  // guards originals_
  std::deque<Frame> originals_;
  Stopwatch busy_;
};

}  // namespace vidconv
