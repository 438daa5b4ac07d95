// The processor of chains with filters over time, on the CPU: each of them begins a stage, whose
// frames are made when a later one's window asks for them, and kept as long as one may.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/av/frame_window.h"
#include "pipeline/base/channel.h"
#include "pipeline/base/error.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/time_stages.h"

namespace vidconv {
namespace {

using SharedFrame = std::shared_ptr<const Frame>;

// A work, the processor of it, and the frames that it has made.
struct Stage {
  TimedWork work;
  std::unique_ptr<Processor> filter;
  std::map<std::int64_t, SharedFrame> made;  // by number
  // Whether a scene ends before this frame of the stage before, where that was asked for.
  std::map<std::int64_t, bool> cuts;
};

class StagedProcessor final : public Processor {
 public:
  StagedProcessor(const TimedWork& work, int width, int height, const ProcessorOptions& options)
      : reach_(work.reach()),
        layout_(aligned_layout(work.format(), width, height, plain_memory.rows)),
        queue_(static_cast<std::size_t>(options.slots)) {
    for (const TimedWork* one : stages_of(work)) stages_.push_back({*one, nullptr, {}, {}});
    for (const Stage& stage : stages_) works_.push_back(&stage.work);
    for (Stage& stage : stages_) {
      ProcessorOptions own = options;
      own.slots = 1;
      stage.filter = make_cpu_processor(stage.work, width, height, own);
    }
  }

  bool submit(Frame frame) override { return queue_.push(std::move(frame)); }
  void close() override { queue_.close(); }
  void cancel() override { queue_.cancel(); }

  std::optional<Frame> collect() override {
    std::optional<Frame> frame = queue_.pop();
    if (!frame) return std::nullopt;
    if (!frame->window())
      throw Error(Fault::internal, "a frame comes without those around it", "", "");
    window_ = frame->window().get();
    Frame result = make(stages_.size() - 1, window_->result);
    window_ = nullptr;
    // Its place among those that come out; a stage has numbered it as the frame that it is of.
    result.set_place(frame->video(), frame->number());
    set_frame_duration(result.av(), frame_duration(frame->av()));
    return result;
  }

  std::vector<StageTime> stages() const override {
    std::vector<StageTime> all = stages_[0].filter->stages();
    for (std::size_t s = 1; s < stages_.size(); ++s) {
      const std::vector<StageTime> more = stages_[s].filter->stages();
      for (std::size_t i = 0; i < all.size(); ++i) all[i].seconds += more.at(i).seconds;
    }
    return all;
  }
  MemoryUse memory() const override {
    MemoryUse all;
    for (const Stage& stage : stages_) all.host += stage.filter->memory().host;
    return all;
  }
  std::string device() const override { return stages_[0].filter->device(); }
  std::vector<std::string> variants() const override {
    std::vector<std::string> all;
    for (const Stage& stage : stages_)
      std::ranges::copy(stage.filter->variants(), std::back_inserter(all));
    return all;
  }
  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    std::vector<SharedFrame> inputs;
    for (Frame& copy : copies_of(sample, layout_))
      inputs.push_back(std::make_shared<const Frame>(std::move(copy)));
    FrameWindow window;
    std::int64_t results = 0;
    const auto next = [&] {
      window.result = results++;
      const std::int64_t here = window.result * reach_.every + reach_.phase;
      window.first = std::max<std::int64_t>(0, here - reach_.before - 1);
      window.frames.clear();
      for (std::int64_t n = window.first; n <= here + reach_.after; ++n)
        window.frames.push_back(inputs[static_cast<std::size_t>(n) % inputs.size()]);
      window_ = &window;
      make(stages_.size() - 1, window.result);
    };
    for (std::int64_t n = 0; n <= reach_.before; ++n) next();  // until all is carried on
    const auto start = Clock::now();
    const std::int64_t before = results;
    double taken = 0;
    for (; taken < seconds || results == before; taken = seconds_since(start)) next();
    window_ = nullptr;
    for (std::size_t s = 0; s < stages_.size(); ++s) forget(s, INT64_MAX);
    return {{"convolve", static_cast<double>(results - before) / taken, 0}};
  }

 private:
  // Returns how many frames come out of the stages before this one; none where that is not known
  // yet, and none of those that are asked for is missing.
  std::optional<std::int64_t> count_of(std::size_t s) const {
    if (!window_->count) return std::nullopt;
    return count_before(works_, s, *window_->count);
  }

  // Returns frame `number` of what stage `s` gets.
  SharedFrame before(std::size_t s, std::int64_t number) {
    if (s == 0) return window_->frames.at(static_cast<std::size_t>(number - window_->first));
    SharedFrame& made = stages_[s - 1].made[number];
    if (!made) made = std::make_shared<const Frame>(make(s - 1, number));
    return made;
  }

  Frame make(std::size_t s, std::int64_t number) {
    Stage& stage = stages_[s];
    const std::int64_t here = number_before(stage.work, number);
    const SharedFrame centre = before(s, here);
    if (stage.work.passes(*centre)) return without_window(*centre);
    Frame input = centre->share();
    input.set_window(nullptr);
    if (stage.work.is_over_time()) input.set_taps(taps(s, here, *centre));
    stage.filter->submit(std::move(input));
    std::optional<Frame> output = stage.filter->collect();
    if (!output) throw Error(Fault::internal, "a stage of the processor was cancelled", "", "");
    output->set_taps(nullptr);
    return *std::move(output);
  }

  static Frame without_window(const Frame& frame) {
    Frame same = frame.share();
    same.set_window(nullptr);
    return same;
  }

  // Returns the frames around frame `here` of what stage `s` gets.
  std::shared_ptr<const FrameTaps> taps(std::size_t s, std::int64_t here, const Frame& centre) {
    const Stage& stage = stages_[s];
    const Work& work = stage.work.cases()[stage.work.case_of(centre)];
    const auto step = std::ranges::find_if(
        work.steps, [](const Step& one) { return one.plan.over_time.has_value(); });
    if (step == work.steps.end()) return nullptr;
    const TapFrames frames = step->plan.tap_frames();
    const std::optional<std::int64_t> count = count_of(s);
    const std::int64_t first = here - frames.anchor, last = here + frames.after();
    const Scene scene = scene_of(s, here, std::max<std::int64_t>(0, first),
                                 count ? std::min(last, *count - 1) : last);
    auto result = std::make_shared<FrameTaps>();
    for (std::int64_t number = first; number <= last; ++number) {
      const std::int64_t there = scene.standing_for(number, stage.work.over_time().border, count);
      result->taps.push_back({there, there < 0 ? nullptr : before(s, there)});
    }
    const std::int64_t earlier = result->taps[0].number - 1;
    if (earlier >= 0 && is_at_hand(s, earlier)) result->before = {earlier, before(s, earlier)};
    forget(s, std::min(first, here) - 1);
    return result;
  }

  // Returns those from `first` to `last` that are of the same scene as `here`.
  Scene scene_of(std::size_t s, std::int64_t here, std::int64_t first, std::int64_t last) {
    const std::optional<double>& cut = stages_[s].work.over_time().cut;
    if (!cut) return {first, last};
    return Scene::around(here, first, last, [&](std::int64_t number) {
      const auto [known, is_new] = stages_[s].cuts.try_emplace(number);
      if (is_new) known->second = differ(*before(s, number - 1), *before(s, number)) > *cut;
      return known->second;
    });
  }

  static double differ(const Frame& a, const Frame& b) {
    std::vector<ConstBytePlane> of_a, of_b;
    for (std::size_t i = 0; i < a.format().components.size(); ++i) {
      of_a.push_back(a.component(i));
      of_b.push_back(b.component(i));
    }
    return mean_difference(a.format(), of_a, of_b);
  }

  bool is_at_hand(std::size_t s, std::int64_t number) const {
    return s == 0 ? number >= window_->first : stages_[s - 1].made.contains(number);
  }

  // Forgets frames below `number` of what stage `s` gets.
  void forget(std::size_t s, std::int64_t number) {
    std::erase_if(stages_[s].cuts, [&](const auto& cut) { return cut.first < number; });
    if (s > 0)
      std::erase_if(stages_[s - 1].made, [&](const auto& made) { return made.first < number; });
  }

  const FrameReach reach_;
  const FrameLayout layout_;
  std::vector<Stage> stages_;
  std::vector<const TimedWork*> works_;  // the stages'
  Channel<Frame> queue_;
  const FrameWindow* window_ = nullptr;  // belongs to the frame being made
};

}  // namespace

std::unique_ptr<Processor> make_staged_processor(TimedWork work, int width, int height,
                                                 const ProcessorOptions& options) {
  return std::make_unique<StagedProcessor>(work, width, height, options);
}

}  // namespace vidconv
