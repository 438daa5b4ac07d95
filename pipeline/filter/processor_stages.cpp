// The processor of chains with filters over time, on the CPU.
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/channel.h"
#include "pipeline/base/error.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/frame_stages.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

class CpuStages final : public FrameStages {
 public:
  CpuStages(const TimedWork& work, int width, int height, ProcessorOptions options)
      : FrameStages(work) {
    options.slots = 1;
    for (std::size_t s = 0; s < count(); ++s)
      filters_.push_back(make_cpu_processor(this->work(s), width, height, options));
  }

  const std::vector<std::unique_ptr<Processor>>& filters() const { return filters_; }

 private:
  Frame filter(std::size_t stage, Frame input) override {
    filters_[stage]->submit(std::move(input));
    std::optional<Frame> output = filters_[stage]->collect();
    if (!output) throw Error(Fault::internal, "a stage of the processor was cancelled", "", "");
    return *std::move(output);
  }

  std::vector<std::unique_ptr<Processor>> filters_;
};

class StagedProcessor final : public Processor {
 public:
  StagedProcessor(const TimedWork& work, int width, int height, const ProcessorOptions& options)
      : layout_(aligned_layout(work.format(), width, height, plain_memory.rows)),
        stages_(work, width, height, options),
        queue_(static_cast<std::size_t>(options.slots)) {}

  bool submit(Frame frame) override { return queue_.push(std::move(frame)); }
  void close() override { queue_.close(); }
  void cancel() override { queue_.cancel(); }

  std::optional<Frame> collect() override {
    const std::optional<Frame> frame = queue_.pop();
    if (!frame) return std::nullopt;
    return stages_.make(*frame);
  }

  std::vector<StageTime> stages() const override {
    std::vector<StageTime> all = filters()[0]->stages();
    for (std::size_t s = 1; s < filters().size(); ++s) {
      const std::vector<StageTime> more = filters()[s]->stages();
      for (std::size_t i = 0; i < all.size(); ++i) all[i].seconds += more.at(i).seconds;
    }
    return all;
  }
  MemoryUse memory() const override {
    MemoryUse all;
    for (const auto& filter : filters()) all.host += filter->memory().host;
    return all;
  }
  std::string device() const override { return filters()[0]->device(); }
  std::vector<std::string> variants() const override {
    std::vector<std::string> all;
    for (const auto& filter : filters())
      std::ranges::copy(filter->variants(), std::back_inserter(all));
    return all;
  }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    std::vector<FrameStages::SharedFrame> inputs;
    for (Frame& copy : copies_of(sample, layout_))
      inputs.push_back(std::make_shared<const Frame>(std::move(copy)));
    std::int64_t results = 0;
    Frame frame = sample.share();
    const auto next = [&] {
      frame.set_window(sample_window(stages_.reach(), results++, inputs));
      stages_.make(frame);
    };
    for (std::int64_t n = 0; n <= stages_.reach().before; ++n) next();  // until all is carried on
    const auto start = Clock::now();
    const std::int64_t before = results;
    double taken = 0;
    for (; taken < seconds || results == before; taken = seconds_since(start)) next();
    stages_.forget_all();
    return {{"convolve", static_cast<double>(results - before) / taken, 0}};
  }

 private:
  const std::vector<std::unique_ptr<Processor>>& filters() const { return stages_.filters(); }

  const FrameLayout layout_;
  CpuStages stages_;
  Channel<Frame> queue_;
};

}  // namespace

std::unique_ptr<Processor> make_staged_processor(TimedWork work, int width, int height,
                                                 const ProcessorOptions& options) {
  return std::make_unique<StagedProcessor>(work, width, height, options);
}

}  // namespace vidconv
