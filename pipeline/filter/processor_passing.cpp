// Around a processor whose filters leave out some frames: those are passed on as they are, in their
// place among the others.
#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

class PassingProcessor final : public Processor {
 public:
  PassingProcessor(std::unique_ptr<Processor> filter, TimedWork work,
                   const ProcessorOptions& options)
      : filter_(std::move(filter)),
        work_(std::move(work)),
        stay_on_device_(options.stay_on_device),
        order_(slots_of(options)) {}

  // The order is taken before the frame is filtered, so that collect() waits for the right one.
  bool submit(Frame frame) override {
    if (passes(frame)) return order_.push({std::move(frame)});
    return order_.push({}) && filter_->submit(std::move(frame));
  }
  void close() override {
    order_.close();
    filter_->close();
  }
  void cancel() override {
    order_.cancel();
    filter_->cancel();
  }
  std::optional<Frame> collect() override {
    std::optional<Place> place = order_.pop();
    if (!place) return std::nullopt;
    if (!place->passed_on) return filter_->collect();
    ++passed_on_;
    return std::move(place->passed_on);
  }

  std::vector<StageTime> stages() const override { return filter_->stages(); }
  MemoryUse memory() const override { return filter_->memory(); }
  std::string device() const override { return filter_->device(); }
  std::vector<DeviceUse> devices() const override { return filter_->devices(); }
  std::vector<std::string> variants() const override { return filter_->variants(); }
  std::int64_t passed_on() const override { return passed_on_; }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return filter_->measure_stages(sample, seconds);
  }
  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    return filter_->measure_bus(sample, seconds);
  }

 private:
  // In the order of all frames.
  struct Place {
    std::optional<Frame> passed_on;  // none: the next that comes out of the filter
  };

  static std::size_t slots_of(const ProcessorOptions& options) {
    const std::size_t devices = std::max<std::size_t>(1, options.devices.size());
    return devices * static_cast<std::size_t>(options.slots);
  }

  // Those that lie in the other memory than filtered ones are copied to where they are wanted.
  bool passes(const Frame& frame) const {
    return frame.on_device() == stay_on_device_ && work_.leaves_out(frame);
  }

  const std::unique_ptr<Processor> filter_;
  const TimedWork work_;
  const bool stay_on_device_;
  Channel<Place> order_;  // of the frames in flight, as many as the processor has slots for
  std::atomic<std::int64_t> passed_on_ = 0;
};

}  // namespace

std::unique_ptr<Processor> make_passing_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                  const ProcessorOptions& options) {
  return std::make_unique<PassingProcessor>(std::move(filter), std::move(work), options);
}

}  // namespace vidconv
