// The processor of chains with filters over time, on the CPU: each of them begins a stage, whose
// frames are made when a later one's window asks for them, and kept as long as one may.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/av/frame_window.h"
#include "pipeline/base/channel.h"
#include "pipeline/base/error.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

using SharedFrame = std::shared_ptr<const Frame>;

// Returns the sum of the differences of two rows' samples.
template <class T>
double row_difference(const ConstBytePlane& a, const ConstBytePlane& b, int y, int shift) {
  const T* p = a.as<const T>().row(y);
  const T* q = b.as<const T>().row(y);
  double sum = 0;
  for (std::ptrdiff_t x = 0; x < a.width; ++x) {
    if constexpr (std::is_same_v<T, float>)
      sum += std::abs(static_cast<double>(p[x * a.step]) - static_cast<double>(q[x * b.step]));
    else
      sum += std::abs((p[x * a.step] >> shift) - (q[x * b.step] >> shift));
  }
  return sum;
}

// Returns by how much the luma of two frames differs in the mean, as a fraction of full scale; of
// pictures without luma, by how much all colours do.
double mean_difference(const Frame& a, const Frame& b) {
  double sum = 0, samples = 0;
  const auto& components = a.format().components;
  const bool luma = std::ranges::any_of(
      components, [](const Component& c) { return c.kind == Component::Kind::luma; });
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Component& c = components[i];
    if (luma ? c.kind != Component::Kind::luma
             : c.kind == Component::Kind::alpha || c.kind == Component::Kind::padding)
      continue;
    const ConstBytePlane p = a.component(i), q = b.component(i);
    double of_plane = 0;
    for (int y = 0; y < p.height; ++y)
      of_plane += c.sample.storage == Storage::u8 ? row_difference<std::uint8_t>(p, q, y, 0)
                  : c.sample.storage == Storage::u16
                      ? row_difference<std::uint16_t>(p, q, y, c.sample.shift)
                      : row_difference<float>(p, q, y, 0);
    sum += of_plane / c.sample.max();
    samples += static_cast<double>(p.width) * p.height;
  }
  return samples == 0 ? 0 : sum / samples;
}

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
  std::optional<std::int64_t> count_before(std::size_t s) const {
    std::optional<std::int64_t> count = window_->count;
    for (std::size_t i = 0; count && i < s; ++i) {
      const TimedWork& work = stages_[i].work;
      if (!work.is_over_time()) continue;
      const OverTime& over_time = work.over_time();
      count = std::max<std::int64_t>(0, *count - over_time.phase + over_time.every - 1) /
              over_time.every;
    }
    return count;
  }

  // Returns the number of the frame of the stage before that a frame of this one is of.
  std::int64_t number_before(std::size_t s, std::int64_t number) const {
    const TimedWork& work = stages_[s].work;
    return work.is_over_time() ? number * work.over_time().every + work.over_time().phase : number;
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
    const std::int64_t here = number_before(s, number);
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
    const Taps& taps = step->plan.terms[0];
    const std::optional<std::int64_t> count = count_before(s);
    const std::int64_t first = here - taps.anchor_x, last = first + taps.width - 1;
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

  // Frames between which no cut lies.
  struct Scene {
    std::int64_t first, last;
    bool cut_before = false, cut_after = false;

    // Returns the number of the frame that stands for one that may be beyond a cut or not be there.
    std::int64_t standing_for(std::int64_t number, TimeBorder border,
                              std::optional<std::int64_t> count) const {
      constexpr std::int64_t no_end = std::int64_t{1} << 30;
      if (cut_before && number < first) return first;
      if (cut_after && number > last) return last;
      std::int64_t there = time_border_index(border, number, count.value_or(no_end));
      if (there < 0) return there;
      if (cut_before) there = std::max(there, first);
      if (cut_after) there = std::min(there, last);
      return there;
    }
  };

  // Returns those from `first` to `last` that are of the same scene as `here`.
  Scene scene_of(std::size_t s, std::int64_t here, std::int64_t first, std::int64_t last) {
    const std::optional<double>& cut = stages_[s].work.over_time().cut;
    Scene scene{first, last};
    if (!cut) return scene;
    const auto cut_before = [&](std::int64_t number) {
      const auto [known, is_new] = stages_[s].cuts.try_emplace(number);
      if (is_new)
        known->second = mean_difference(*before(s, number - 1), *before(s, number)) > *cut;
      return known->second;
    };
    for (std::int64_t number = here; number > first && !scene.cut_before; --number)
      if (cut_before(number)) scene.first = number, scene.cut_before = true;
    for (std::int64_t number = here + 1; number <= last && !scene.cut_after; ++number)
      if (cut_before(number)) scene.last = number - 1, scene.cut_after = true;
    return scene;
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
  Channel<Frame> queue_;
  const FrameWindow* window_ = nullptr;  // belongs to the frame being made
};

}  // namespace

std::unique_ptr<Processor> make_staged_processor(TimedWork work, int width, int height,
                                                 const ProcessorOptions& options) {
  return std::make_unique<StagedProcessor>(work, width, height, options);
}

}  // namespace vidconv
