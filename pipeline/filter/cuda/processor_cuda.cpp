// The processor of a CUDA device. A frame passes three streams, upload, convolve and download, each
// of which works on another frame at the same time; events hand it from one to the next. Frames
// that lie on the device already skip the first; frames that an encoder takes there skip the last.
//
// Work after a copy waits until the copy engine has drained, and the next copy until it is told of
// that: 6 us on an H200, a tenth of a frame of 1920x1080. So frames pass in groups that share their
// events, and collect() starts a group that is not full when it has to wait for it: groups grow
// only where the device is behind.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/channel.h"
#include "pipeline/filter/cuda/cuda_chain.h"
#include "pipeline/filter/processor.h"

namespace vidconv {
namespace {

template <class F>
auto with_frame_number(std::int64_t number, F&& f) {
  try {
    return f();
  } catch (Error& error) {
    error.set_frame(number);
    throw;
  }
}

class CudaProcessor final : public Processor {
 public:
  // The device must be current.
  CudaProcessor(const TimedWork& work, int width, int height, const ProcessorOptions& options)
      : index_(options.device_index),
        stages_(work, width, height, options),
        group_(std::max(1, options.slots / 4)),
        free_(static_cast<std::size_t>(options.slots)),
        in_flight_(static_cast<std::size_t>(options.slots)) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, index_), "cannot use the device");
    name_ = properties.name;
    for (int i = 0; i < options.slots; ++i) {
      slots_.push_back(stages_.make_slot());
      free_.push(slots_.back().get());
    }
    pending_.reserve(slots_.size());
    stages_.warm_up(*slots_.front());
  }

  bool submit(Frame frame) override {
    const std::optional<ChainSlot*> taken = free_.pop();
    if (!taken) {
      refused_ = std::move(frame);
      return false;
    }
    ChainSlot& slot = **taken;
    const std::int64_t number = frame.number();
    const std::size_t video = frame.video();
    slot.last->input.emplace(std::move(frame));  // it stays there, whatever happens
    return with_frame_number(number, [&] {
      const CurrentDevice current(index_);
      stages_.prepare(slot);
      slot.last->output->set_place(video, number);
      stages_.timeline().mark(slot.last->passage);
      {
        const std::lock_guard lock(mutex_);
        slot.started = false;
        stages_.upload(slot);
        pending_.push_back(&slot);
        if (static_cast<int>(pending_.size()) == group_) start_pending();
      }
      return in_flight_.push(&slot);
    });
  }

  void close() override { in_flight_.close(); }
  void cancel() override {
    free_.cancel();
    in_flight_.cancel();
  }

  std::vector<Frame> give_back() override {
    std::vector<Frame> frames;
    for (const auto& slot : slots_)
      if (slot->input()) frames.push_back(std::move(*std::exchange(slot->input(), std::nullopt)));
    std::ranges::sort(frames, {}, &Frame::number);
    if (refused_) frames.push_back(std::move(*std::exchange(refused_, std::nullopt)));
    return frames;
  }

  std::optional<Frame> collect() override {
    const std::optional<ChainSlot*> taken = in_flight_.pop();
    if (!taken) return std::nullopt;
    ChainSlot& slot = **taken;
    return with_frame_number(slot.last->output->number(), [&] {
      const CurrentDevice current(index_);
      if (!slot.started) {
        const std::lock_guard lock(mutex_);
        if (!slot.started) start_pending();
      }
      slot.arrival->done(stages_.last_stage()).wait();
      stages_.timeline().add(slot.last->passage, slot.last->output->number());
      stages_.release(slot);
      std::optional<Frame> output = std::exchange(slot.last->output, std::nullopt);
      free_.push(&slot);
      return output;
    });
  }

  std::vector<StageTime> stages() const override { return stages_.timeline().stages(); }
  MemoryUse memory() const override { return stages_.memory(); }
  std::string device() const override { return name_ + " (cuda:" + std::to_string(index_) + ")"; }
  std::vector<DeviceUse> devices() const override {
    return {{.index = index_,
             .name = name_,
             .node = stages_.node(),
             .frames = stages_.timeline().frames(),
             .uploads = stages_.uploads()}};
  }
  std::vector<std::string> variants() const override { return stages_.variants(); }

  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    const CurrentDevice current(index_);
    stages_.fill(slots_, sample);
    const auto rate = [&](const char* name, std::size_t bytes, auto&& enqueue) {
      const double per_second = frames_per_second(seconds, enqueue);
      return StageRate{name, per_second, per_second * static_cast<double>(bytes)};
    };
    const std::size_t up = sample.extent().size(), down = slots_[0]->last->output->extent().size();
    std::vector<StageRate> rates;
    if (!sample.on_device())
      rates.push_back(rate("upload", up, [&](ChainSlot& slot) { stages_.copy_up(slot); }));
    rates.push_back(rate("convolve", 0, [&](ChainSlot& slot) { stages_.convolve(slot); }));
    if (stages_.downloads())
      rates.push_back(rate("download", down, [&](ChainSlot& slot) { stages_.copy_down(slot); }));
    stages_.empty(slots_);
    return rates;
  }

  std::vector<StageRate> measure_bus(const Frame& sample, double seconds) override {
    if (sample.on_device() || !stages_.downloads()) return {};
    const CurrentDevice current(index_);
    stages_.fill(slots_, sample);
    const double frames = frames_per_second(seconds, [&](ChainSlot& slot) {
      stages_.copy_up(slot);
      stages_.copy_down(slot);
    });
    const double bytes = static_cast<double>(slots_[0]->last->output->extent().size());
    stages_.empty(slots_);
    return {{"bus", frames, frames * bytes}};
  }

 private:
  // Returns how often per second enqueue(slot) can be done, slot after slot, in rounds of all slots
  // with two rounds queued.
  template <class F>
  double frames_per_second(double seconds, F&& enqueue) {
    struct Round {
      std::array<Event, 3> ends{Event(Event::Kind::order), Event(Event::Kind::order),
                                Event(Event::Kind::order)};
      void wait() const {
        for (const Event& end : ends) end.wait();
      }
    };
    std::array<Round, 2> rounds;
    const auto queue_round = [&](std::size_t n) {
      const Round& round = rounds[n % rounds.size()];
      round.wait();
      for (const auto& slot : slots_) enqueue(*slot);
      stages_.record(round.ends);
    };
    queue_round(0);  // wakes the device
    rounds[0].wait();
    const auto start = Clock::now();
    std::size_t n = 1;
    for (; n < 4 || seconds_since(start) < seconds; ++n) queue_round(n);
    for (const Round& round : rounds) round.wait();
    return static_cast<double>((n - 1) * slots_.size()) / seconds_since(start);
  }

  // Queues what follows the uploads of the pending slots. The caller holds mutex_.
  void start_pending() {
    stages_.follow_up(pending_);
    for (ChainSlot* slot : pending_) {
      slot->arrival = &pending_.back()->last->passage;
      slot->started = true;
    }
    pending_.clear();
  }

  const int index_;
  std::vector<std::unique_ptr<ChainSlot>> slots_;
  CudaChain stages_;                 // destroyed before the slots, which the device may still use
  const int group_;                  // frames that pass together
  std::mutex mutex_;                 // guards the queueing and pending_
  std::vector<ChainSlot*> pending_;  // only their uploads are queued
  Channel<ChainSlot*> free_, in_flight_;
  std::optional<Frame> refused_;  // came after cancel()
  std::string name_;
};

}  // namespace

std::unique_ptr<Processor> make_cuda_processor(TimedWork work, int width, int height,
                                               const ProcessorOptions& options) {
  const CurrentDevice current(options.device_index);
  return std::make_unique<CudaProcessor>(work, width, height, options);
}

}  // namespace vidconv
