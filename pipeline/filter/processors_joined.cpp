// Joins several processors into one: each frame goes to the one of its video.
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

class JoinedProcessors final : public Processor {
 public:
  explicit JoinedProcessors(std::vector<std::unique_ptr<Processor>> processors)
      : processors_(std::move(processors)), order_(most_in_flight) {}

  bool submit(Frame frame) override {
    const std::size_t video = frame.video();
    return order_.push(video) && processors_.at(video)->submit(std::move(frame));
  }
  void close() override {
    order_.close();
    for (const auto& processor : processors_) processor->close();
  }
  void cancel() override {
    order_.cancel();
    for (const auto& processor : processors_) processor->cancel();
  }

  std::optional<Frame> collect() override {
    const std::optional<std::size_t> video = order_.pop();
    return video ? processors_[*video]->collect() : std::nullopt;
  }

  // All of them have the same stages.
  std::vector<StageTime> stages() const override {
    std::vector<StageTime> all = processors_[0]->stages();
    for (std::size_t i = 1; i < processors_.size(); ++i) {
      const std::vector<StageTime> more = processors_[i]->stages();
      for (std::size_t s = 0; s < all.size(); ++s) all[s].seconds += more.at(s).seconds;
    }
    return all;
  }
  MemoryUse memory() const override {
    MemoryUse all;
    for (const auto& processor : processors_) {
      all.host += processor->memory().host;
      all.device += processor->memory().device;
    }
    return all;
  }

  std::int64_t passed_on() const override {
    std::int64_t all = 0;
    for (const auto& processor : processors_) all += processor->passed_on();
    return all;
  }
  std::string device() const override { return processors_[0]->device(); }
  std::vector<std::string> variants() const override { return processors_[0]->variants(); }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    return processors_.at(sample.video())->measure_stages(sample, seconds);
  }
  // All of them use the same devices, in the same order.
  std::vector<DeviceUse> devices() const override {
    std::vector<DeviceUse> all = processors_[0]->devices();
    for (std::size_t i = 1; i < processors_.size(); ++i) {
      const std::vector<DeviceUse> more = processors_[i]->devices();
      for (std::size_t d = 0; d < more.size(); ++d) {
        if (d == all.size() || all[d].index != more[d].index) {  // one that stands in
          all.push_back(more[d]);
        } else {
          all[d].frames += more[d].frames;
          all[d].uploads += more[d].uploads;
          all[d].failed = all[d].failed || more[d].failed;
        }
      }
    }
    return all;
  }
  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    return processors_.at(sample.video())->measure_bus(sample, seconds);
  }

 private:
  // More than all slots together, so that a push to order_ never waits.
  static constexpr std::size_t most_in_flight = 1 << 12;

  const std::vector<std::unique_ptr<Processor>> processors_;
  Channel<std::size_t> order_;  // the video of each frame in flight
};

}  // namespace

std::unique_ptr<Processor> join_processors(std::vector<std::unique_ptr<Processor>> processors) {
  if (processors.size() == 1) return std::move(processors[0]);
  return std::make_unique<JoinedProcessors>(std::move(processors));
}

}  // namespace vidconv
