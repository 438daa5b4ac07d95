// Wraps a processor whose filters leave out some frames, which are passed on as they are, in order.
#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/filter/processor_around.h"

namespace vidconv {
namespace {

class PassingProcessor final : public ProcessorAround {
 public:
  PassingProcessor(std::unique_ptr<Processor> filter, TimedWork work,
                   const ProcessorOptions& options)
      : ProcessorAround(std::move(filter)),
        work_(std::move(work)),
        stay_on_device_(options.stay_on_device),
        order_(slots_of(options)) {}

  // The order is taken before the frame is filtered, so that collect() waits for the right one.
  bool submit(Frame frame) override {
    if (passes(frame)) return order_.push({std::move(frame)});
    return order_.push({}) && ProcessorAround::submit(std::move(frame));
  }
  void close() override {
    order_.close();
    ProcessorAround::close();
  }
  void cancel() override {
    order_.cancel();
    ProcessorAround::cancel();
  }
  std::optional<Frame> collect() override {
    std::optional<Place> place = order_.pop();
    if (!place) return std::nullopt;
    if (!place->passed_on) return ProcessorAround::collect();
    ++passed_on_;
    place->passed_on->set_window(nullptr);
    return std::move(place->passed_on);
  }

  std::int64_t passed_on() const override { return passed_on_; }

 private:
  // An entry in the order of all frames.
  struct Place {
    std::optional<Frame> passed_on;  // none: the next frame out of the filter
  };

  static std::size_t slots_of(const ProcessorOptions& options) {
    const std::size_t devices = std::max<std::size_t>(1, options.devices.size());
    return devices * static_cast<std::size_t>(options.slots);
  }

  // A frame in other memory than filtered ones is not passed: the filter copies it to where it
  // belongs.
  bool passes(const Frame& frame) const {
    return frame.on_device() == stay_on_device_ && work_.leaves_out(frame);
  }

  const TimedWork work_;
  const bool stay_on_device_;
  Channel<Place> order_;  // the frames in flight, as many as the processor has slots for
  std::atomic<std::int64_t> passed_on_ = 0;
};

}  // namespace

std::unique_ptr<Processor> make_passing_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                  const ProcessorOptions& options) {
  return std::make_unique<PassingProcessor>(std::move(filter), std::move(work), options);
}

}  // namespace vidconv
