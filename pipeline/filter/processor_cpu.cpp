// The processor of the CPU: submit() queues, collect() convolves.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "kernels/convolver/time_convolver.h"
#include "pipeline/base/channel.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/filter/case_convolvers.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/region_step.h"
#include "pipeline/filter/step_planes.h"

namespace vidconv {
namespace {

// Returns whether frames come out as they go in, as with the kernel identity.
bool only_copies(const Work& work) {
  return std::ranges::all_of(work.steps, [](const Step& step) {
    return step.from == Place::input && step.to == Place::output && !step.light && !step.where &&
           (step.action == Action::copy || step.action == Action::filter) && step.plan.is_copy();
  });
}

class CpuProcessor final : public Processor {
 public:
  CpuProcessor(TimedWork work, int width, int height, const ProcessorOptions& options)
      : work_(std::move(work)),
        threads_(options.threads),
        scan_(options.scan),
        pool_(aligned_layout(work_.format(), width, height, plain_memory.rows), plain_memory),
        scratch_pool_(aligned_layout(work_.scratch_format(), width, height, plain_memory.rows),
                      plain_memory),
        convolvers_(work_, options,
                    [&](const Prepared& prepared) { return prepared(options.threads); }),
        queue_(static_cast<std::size_t>(options.slots)),
        trace_(options.trace) {
    for (int i = 0; i < work_.scratch_frames(); ++i) scratch_.emplace_back(scratch_pool_.get(), 0);
    for (const Work& one : work_.cases()) {
      copies_.push_back(only_copies(one));
      parts_.push_back(make_region_steps(one, width, height, options, places_));
      std::vector<const Convolver*> convolvers;
      for (std::size_t s = 0; s < one.steps.size(); ++s)
        convolvers.push_back(&convolvers_.of(planes_of_.size(), s));
      planes_of_.push_back(planes_of_steps(one, width, convolvers));
      turns_.resize(std::max(turns_.size(), one.steps.size()));
    }
    if (work_.has_regions()) beside_.emplace(scratch_pool_.get(), 0);
    if (std::ranges::any_of(work_.cases(), &Work::brings_codes)) codes_.emplace(pool_.get(), 0);
    pool_.reserve(options.slots);
    if (work_.cases().size() > 1) warm_up();
  }

  bool submit(Frame frame) override { return queue_.push(std::move(frame)); }
  void close() override { queue_.close(); }
  void cancel() override { queue_.cancel(); }

  std::optional<Frame> collect() override {
    std::optional<Frame> input = queue_.pop();
    if (!input) return std::nullopt;
    if (copies_[work_.case_of(*input)]) return input;
    const TraceSpan span(trace_, "convolve", input->number());
    return busy_.time([&] { return convolve(*input); });
  }

  std::vector<StageTime> stages() const override { return {{"convolve", busy_.seconds()}}; }
  MemoryUse memory() const override {
    return {.host = pool_.bytes() + scratch_pool_.bytes() + places_.bytes(), .device = 0};
  }
  std::string device() const override {
    return "CPU, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  }
  std::vector<std::string> variants() const override { return convolvers_.variants(); }

  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    const std::vector<Frame> inputs = copies_of(sample, pool_.layout());
    convolve(sample);  // touches memory, wakes the threads
    const auto start = Clock::now();
    std::size_t frames = 0;
    double taken = 0;
    while (frames == 0 || taken < seconds) {
      convolve(inputs[frames % inputs.size()]);
      ++frames;
      taken = seconds_since(start);
    }
    return {{"convolve", static_cast<double>(frames) / taken, 0}};
  }

 private:
  // Makes convolvers allocate what they need at their first run, for the planes' width, before the
  // first frame of a case that comes late.
  void warm_up() {
    Frame frame(pool_.get(), 0);
    for (std::size_t number = 0; number < work_.cases().size(); ++number) {
      const std::vector<Step>& steps = work_.cases()[number].steps;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        if (steps[s].light) continue;
        pairs_.clear();
        for (const std::size_t i : steps[s].components) {
          BytePlane line = destination(steps[s].to, frame).component(i);
          line.height = 1;
          pairs_.push_back({line.as<const std::byte>(), line});
        }
        if (steps[s].weights) pairs_.push_back(as_weights(pairs_.back().src));
        convolvers_.of(number, s).run(pairs_, nullptr);
      }
    }
  }

  Frame convolve(const Frame& input) {
    FramePtr av = pool_.get();
    copy_properties(input.av(), *av);
    Frame output(std::move(av), input);
    const bool by_field = filters_by_field(input, scan_);
    components_.clear();
    for (std::size_t i = 0; i < work_.format().components.size(); ++i)
      components_.push_back(input.component(i));
    const std::size_t number = work_.case_of(input);
    const std::vector<Step>& steps = work_.cases()[number].steps;
    set_taps(number, input);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (centre_ && steps[s].action == Action::to_light) continue;  // it was made for a tap
      if (parts_[number][s]) {
        run_part(number, s, input, output, by_field);
        continue;
      }
      const std::size_t in_turn = planes_of_[number][s].in_turn;
      for (std::size_t i = 0; i < in_turn; ++i) set_turn(number, s + i, input, output, by_field, i);
      run_in_turn(std::span(turns_).first(in_turn), threads_, nullptr);
      s += in_turn - 1;
    }
    return output;
  }

  // Tells the case's filter over time, if it has one, which frames its taps are on.
  void set_taps(std::size_t number, const Frame& input) {
    const std::vector<Step>& steps = work_.cases()[number].steps;
    centre_ = nullptr;
    const auto step = std::ranges::find_if(
        steps, [](const Step& one) { return one.plan.operation() == Operation::over_time; });
    if (step == steps.end()) return;
    const bool light = step->from != Place::input;
    const FrameTaps* const taps = input.taps().get();
    time_frames_.clear();
    TimeFrame before;
    if (taps) {
      if (light) forget_light(*taps);
      const auto frame = [&](const FrameTaps::Tap& tap) {
        if (!tap.frame) return TimeFrame{};
        TimeFrame there = planes_of(light ? in_light(number, tap) : *tap.frame);
        there.number = tap.number;
        return there;
      };
      for (const FrameTaps::Tap& tap : taps->taps) time_frames_.push_back(frame(tap));
      before = frame(taps->before);
      const auto tap = static_cast<std::size_t>(step->plan.tap_frames().anchor);
      if (light) centre_ = &in_light(number, taps->taps[tap]);
    }
    const TimeFrame here = planes_of(source(*step, input));
    for (std::size_t s = 0; s < steps.size(); ++s)
      if (steps[s].plan.operation() == Operation::over_time)
        dynamic_cast<TimeConvolver&>(convolvers_.of(number, s))
            .set_frames(time_frames_, here, before);
  }

  // Returns the frame of a tap in linear light, which is kept as long as taps are on it. The first
  // step of the case makes light of codes.
  const Frame& in_light(std::size_t number, const FrameTaps::Tap& tap) {
    const auto known = light_.find(tap.number);
    if (known != light_.end()) return known->second;
    Frame frame(scratch_pool_.get(), 0);
    pairs_.clear();
    for (const std::size_t i : planes_of_[number][0].components)
      pairs_.push_back({tap.frame->component(i), frame.component(i)});
    convolvers_.of(number, 0).run(pairs_, nullptr);
    return light_.emplace(tap.number, std::move(frame)).first->second;
  }
  void forget_light(const FrameTaps& taps) {
    std::erase_if(light_, [&](const auto& frame) {
      return frame.first != taps.before.number &&
             std::ranges::find(taps.taps, frame.first, &FrameTaps::Tap::number) == taps.taps.end();
    });
  }

  static TimeFrame planes_of(const Frame& frame) {
    TimeFrame planes;
    for (int p = 0; p < frame.format().planes; ++p)
      planes.planes[static_cast<std::size_t>(p)] = {.data = frame.row(p, 0),
                                                    .stride = frame.av().linesize[p],
                                                    .rows = frame.format().rows(p, frame.height())};
    return planes;
  }

  void set_turn(std::size_t number, std::size_t s, const Frame& input, Frame& output, bool by_field,
                std::size_t turn) {
    const Step& step = work_.cases()[number].steps[s];
    turns_[turn].convolver = &convolvers_.of(number, s);
    set_pairs(
        planes_of_[number][s], [&](std::size_t i) { return source(step, input).component(i); },
        [&](std::size_t i) { return destination(step.to, output).component(i); },
        by_field && !step.light, turns_[turn].pairs);
  }

  void run_part(std::size_t number, std::size_t s, const Frame& input, Frame& output,
                bool by_field) {
    const Step& step = work_.cases()[number].steps[s];
    RegionStep& part = *parts_[number][s];
    part.set_frame(input);
    part.set_picture(components_, by_field, nullptr);
    planes_.clear();
    Frame& beside = step.action == Action::bring_codes ? *codes_ : *beside_;
    for (const std::size_t i : step.components)
      planes_.push_back({source(step, input).component(i),
                         destination(step.to, output).component(i), beside.component(i),
                         step.adds});
    if (step.weights) planes_.push_back({source(step, input).component(*step.weights), {}, {}});
    part.run(convolvers_.of(number, s), planes_, by_field, nullptr, part.now());
  }

  const Frame& source(const Step& step, const Frame& input) const {
    if (centre_ && step.plan.operation() == Operation::over_time) return *centre_;
    const Place place = step.from;
    return place == Place::input ? input : scratch_[place == Place::scratch0 ? 0 : 1];
  }
  Frame& destination(Place place, Frame& output) {
    if (place == Place::codes) return *codes_;
    return place == Place::output ? output : scratch_[place == Place::scratch0 ? 0 : 1];
  }

  const TimedWork work_;
  const int threads_;
  const Scan scan_;
  FramePool pool_, scratch_pool_;
  std::vector<Frame> scratch_;
  const CaseConvolvers convolvers_;
  std::vector<std::vector<StepPlanes>> planes_of_;  // the steps of each case
  std::vector<Turn> turns_;                         // the steps being run
  std::vector<PlanePair> pairs_;                    // planes of a case that is warmed up
  std::vector<TimeFrame> time_frames_;              // under the taps of a filter over time
  std::map<std::int64_t, Frame>
      light_;                      // these in linear light, by number, where filters act on it
  const Frame* centre_ = nullptr;  // the input among them, where a tap is on it
  SharedRegions places_;
  std::vector<char> copies_;                // per case: it only copies, so frames are passed on
  std::vector<RegionSteps> parts_;          // one list per case
  std::vector<ConstBytePlane> components_;  // the input's
  std::vector<RegionStep::Planes> planes_;  // planes of the region being run
  std::optional<Frame> beside_;             // where regions are filtered
  std::optional<Frame> codes_;              // Place::codes
  Channel<Frame> queue_;
  Trace* const trace_;
  Stopwatch busy_;
};

}  // namespace

std::unique_ptr<Processor> make_cpu_processor(TimedWork work, int width, int height,
                                              const ProcessorOptions& options) {
  return std::make_unique<CpuProcessor>(std::move(work), width, height, options);
}

}  // namespace vidconv
