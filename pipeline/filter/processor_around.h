// ProcessorAround forwards to another processor whatever a derived class does not override.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/filter/processor.h"

namespace vidconv {

class ProcessorAround : public Processor {
 public:
  bool submit(Frame frame) override { return filter_->submit(std::move(frame)); }
  void close() override { filter_->close(); }
  std::optional<Frame> collect() override { return filter_->collect(); }
  void cancel() override { filter_->cancel(); }
  std::vector<StageTime> stages() const override { return filter_->stages(); }
  MemoryUse memory() const override { return filter_->memory(); }
  std::int64_t passed_on() const override { return filter_->passed_on(); }
  std::string device() const override { return filter_->device(); }
  std::vector<DeviceUse> devices() const override { return filter_->devices(); }
  std::vector<std::string> variants() const override { return filter_->variants(); }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return filter_->measure_stages(sample, seconds);
  }
  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    return filter_->measure_bus(sample, seconds);
  }

 protected:
  explicit ProcessorAround(std::unique_ptr<Processor> filter) : filter_(std::move(filter)) {}

 private:
  const std::unique_ptr<Processor> filter_;
};

}  // namespace vidconv
