// The processor of a CUDA device. A frame passes three streams, upload, convolve and download, each
// of which works on another frame at the same time; events hand it from one to the next. Frames
// that lie on the device already skip the first.
//
// What follows a copy waits until the copy engine has drained, and the next copy until that is
// told: 6 us on an H200, a tenth of a frame of 1920x1080. So small frames pass in groups that share
// their events, and collect() starts a group that is not full when it has to wait for it: groups
// grow only where the device is behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pipeline/channel.h"
#include "pipeline/cuda.h"
#include "pipeline/cuda_objects.h"
#include "pipeline/cuda_timeline.h"
#include "pipeline/processor.h"

namespace vidconv {
namespace {

// What one frame in flight occupies. The frames are held until the device no longer uses them.
struct Slot {
  Slot(DeviceBuffer in, DeviceBuffer out, std::size_t kernels)
      : input_memory(std::move(in)), output_memory(std::move(out)), passage(kernels) {}

  DeviceBuffer input_memory, output_memory;
  std::optional<Frame> input, output;
  std::byte* input_at = nullptr;  // the input's extent in device memory
  Passage passage;
  std::atomic<bool> started = false;  // more than its upload is queued
  const Passage* arrival = nullptr;   // whose download ends the group's
};

constexpr std::size_t small_frame = 8 << 20;  // bytes: larger ones do not feel what lies between

// The kernels room knows no Error.
template <class F>
auto as_device_error(F&& f) {
  try {
    return f();
  } catch (const std::runtime_error& error) {
    throw Error(Fault::device, "the CUDA device failed", "", error.what(), "use --device cpu");
  }
}

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
  // The device is current.
  CudaProcessor(Work work, int width, int height, const ProcessorOptions& options)
      : work_(std::move(work)),
        index_(options.device_index),
        pool_(aligned_layout(*work_.format, width, height), pinned_memory),
        scratch_layout_(aligned_layout(*work_.scratch_format, width, height)),
        timeline_(kernel_names(work_, options), options.trace),
        group_(pool_.layout().bytes <= small_frame ? std::max(1, options.slots / 4) : 1),
        scan_(options.scan),
        free_(static_cast<std::size_t>(options.slots)),
        in_flight_(static_cast<std::size_t>(options.slots)) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, index_), "cannot use the device");
    name_ = std::string(properties.name) + " (cuda:" + std::to_string(index_) + ")";
    for (const Step& step : work_.steps) {
      variants_.emplace_back(choose_variant(step, options).name);
      convolvers_.push_back(as_device_error([&] { return make_convolver(step, options); }));
    }

    // Decoders pad pictures; a frame that needs more than this makes its slot grow.
    const std::size_t padded = aligned_layout(*work_.format, width + 128, height + 64).bytes;
    for (int i = 0; i < work_.scratch_frames(); ++i)
      scratch_[static_cast<std::size_t>(i)] = allocate(scratch_layout_.bytes);
    for (int i = 0; i < options.slots; ++i) {
      slots_.push_back(std::make_unique<Slot>(allocate(padded), allocate(pool_.layout().bytes),
                                              timeline_.kernels()));
      free_.push(slots_.back().get());
    }
    pending_.reserve(slots_.size());
    pool_.reserve(options.slots);
    warm_up();
  }

  // The device may still read frames and write slots.
  ~CudaProcessor() override {
    for (const Stream* stream : {&upload_, &convolve_, &download_})
      cudaStreamSynchronize(stream->get());
  }

  bool submit(Frame frame) override {
    const std::optional<Slot*> taken = free_.pop();
    if (!taken) return false;
    Slot& slot = **taken;
    const std::int64_t number = frame.number();
    return with_frame_number(number, [&] {
      const CurrentDevice current(index_);
      prepare(slot, std::move(frame));
      timeline_.mark(slot.passage);
      {
        const std::lock_guard lock(mutex_);
        slot.started = false;
        upload(slot);
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

  std::optional<Frame> collect() override {
    const std::optional<Slot*> taken = in_flight_.pop();
    if (!taken) return std::nullopt;
    Slot& slot = **taken;
    return with_frame_number(slot.output->number(), [&] {
      const CurrentDevice current(index_);
      if (!slot.started) {
        const std::lock_guard lock(mutex_);
        if (!slot.started) start_pending();
      }
      slot.arrival->done(Passage::download).wait();
      timeline_.add(slot.passage, slot.output->number());
      slot.input.reset();
      std::optional<Frame> output = std::exchange(slot.output, std::nullopt);
      free_.push(&slot);
      return output;
    });
  }

  std::vector<StageTime> stages() const override { return timeline_.stages(); }
  MemoryUse memory() const override { return {.host = pool_.bytes(), .device = device_bytes_}; }
  std::string device() const override { return name_; }
  std::vector<std::string> variants() const override { return variants_; }

  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    const CurrentDevice current(index_);
    for (const auto& slot : slots_) prepare(*slot, sample.share());
    const std::size_t up = sample.extent().size(), down = slots_[0]->output->extent().size();
    const auto rate = [&](const char* name, std::size_t bytes, auto&& enqueue) {
      const double per_second = frames_per_second(seconds, enqueue);
      return StageRate{name, per_second, per_second * static_cast<double>(bytes)};
    };
    std::vector<StageRate> rates;
    if (!sample.on_device()) rates.push_back(rate("upload", up, [&](Slot& slot) { upload(slot); }));
    rates.push_back(rate("convolve", 0, [&](Slot& slot) { convolve(slot); }));
    rates.push_back(rate("download", down, [&](Slot& slot) { download(slot); }));
    empty_slots();
    return rates;
  }

  std::optional<StageRate> measure_bus(const Frame& sample, double seconds) override {
    if (sample.on_device()) return std::nullopt;
    const CurrentDevice current(index_);
    for (const auto& slot : slots_) prepare(*slot, sample.share());
    const double frames = frames_per_second(seconds, [&](Slot& slot) {
      copy_up(slot);
      copy_down(slot);
    });
    const double bytes = static_cast<double>(slots_[0]->output->extent().size());
    empty_slots();
    return StageRate{"bus", frames, frames * bytes};
  }

 private:
  // In traces. The plans' texts would not do: they are whatever a user wrote.
  static std::vector<std::string> kernel_names(const Work& work, const ProcessorOptions& options) {
    std::vector<std::string> names;
    for (const Step& step : work.steps) {
      std::string name(choose_variant(step, options).name);
      for (const std::size_t i : step.components)
        name += std::string(" ") + work.format->components[i].name;
      names.push_back(name);
    }
    return names;
  }

  // The first launch of a kernel loads its code; that belongs to the start, not to a frame.
  void warm_up() {
    Slot& slot = *slots_.front();
    prepare(slot, Frame(pool_.get(), 0));
    convolve(slot);
    convolve_.synchronise();
    empty_slots();
  }

  void empty_slots() {
    for (const auto& slot : slots_) {
      slot->input.reset();
      slot->output.reset();
    }
  }

  // How often enqueue(slot) can be done in a second, slot after slot, in rounds of all slots of
  // which two are queued.
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
      upload_.record(round.ends[0]);
      convolve_.record(round.ends[1]);
      download_.record(round.ends[2]);
    };
    queue_round(0);  // wakes the device
    rounds[0].wait();
    const auto start = Clock::now();
    std::size_t n = 1;
    for (; n < 4 || seconds_since(start) < seconds; ++n) queue_round(n);
    for (const Round& round : rounds) round.wait();
    return static_cast<double>((n - 1) * slots_.size()) / seconds_since(start);
  }

  DeviceBuffer allocate(std::size_t bytes) {
    DeviceBuffer buffer(bytes);
    device_bytes_ += bytes;
    return buffer;
  }

  // Gives a free slot its frames, input and output.
  void prepare(Slot& slot, Frame frame) {
    if (frame.on_device()) {
      slot.input_at = frame.extent().data();
    } else {
      if (slot.input_memory.size() < frame.extent().size()) {
        device_bytes_ -= slot.input_memory.size();
        slot.input_memory = allocate(frame.extent().size());
      }
      slot.input_at = slot.input_memory.data();
    }
    FramePtr av = pool_.get();
    copy_properties(frame.av(), *av);
    slot.output.emplace(std::move(av), frame.number());
    slot.input.emplace(std::move(frame));
  }

  void copy_up(Slot& slot) {
    const std::span<const std::byte> from = std::as_const(*slot.input).extent();
    upload_.upload(slot.input_at, from.data(), from.size());
  }
  void copy_down(Slot& slot) {
    const std::span<std::byte> to = slot.output->extent();
    download_.download(to.data(), slot.output_memory.data(), to.size());
  }

  // The three stages. Each queues the work of one frame and returns.
  void upload(Slot& slot) {
    slot.passage.begin(Passage::upload, upload_);
    if (!slot.input->on_device()) copy_up(slot);
    slot.passage.end(Passage::upload, upload_);
  }

  // Queues what follows the uploads of the pending slots. Under the mutex.
  void start_pending() {
    const Passage& last = pending_.back()->passage;
    upload_.record(last.done(Passage::upload));
    convolve_.wait_for(last.done(Passage::upload));
    for (Slot* slot : pending_) convolve(*slot);
    convolve_.record(last.done(Passage::convolve));
    download_.wait_for(last.done(Passage::convolve));
    for (Slot* slot : pending_) download(*slot);
    download_.record(last.done(Passage::download));
    for (Slot* slot : pending_) {
      slot->arrival = &last;
      slot->started = true;
    }
    pending_.clear();
  }

  void convolve(Slot& slot) {
    slot.passage.begin(Passage::convolve, convolve_);
    const bool by_field = filters_by_field(*slot.input, scan_);
    for (std::size_t s = 0; s < work_.steps.size(); ++s) {
      const Step& step = work_.steps[s];
      pairs_.clear();
      for (const std::size_t i : step.components) {
        const BytePlane from = plane(slot, step.from, i);
        add_pairs({from.data, from.stride, from.width, from.height, from.step},
                  plane(slot, step.to, i), by_field && !step.light, pairs_);
      }
      as_device_error([&] { convolvers_[s]->run(pairs_, convolve_.get()); });
      slot.passage.end_kernel(s, convolve_);
    }
    slot.passage.end(Passage::convolve, convolve_);
  }

  void download(Slot& slot) {
    slot.passage.begin(Passage::download, download_);
    copy_down(slot);
    slot.passage.end(Passage::download, download_);
  }

  // Component i in device memory. One frame after the other uses the scratch memory, because
  // convolve_ keeps their order.
  BytePlane plane(const Slot& slot, Place place, std::size_t i) const {
    switch (place) {
      case Place::input:
        return slot.input->component_in(i, slot.input_at);
      case Place::scratch0:
        return component_of(scratch_layout_, i, scratch_[0].data());
      case Place::scratch1:
        return component_of(scratch_layout_, i, scratch_[1].data());
      case Place::output:
        return slot.output->component_in(i, slot.output_memory.data());
    }
    throw Error(Fault::internal, "a step has no place", "", "");
  }

  const Work work_;
  const int index_;
  Stream upload_, convolve_, download_;
  FramePool pool_;  // of output frames
  const FrameLayout scratch_layout_;
  Timeline timeline_;
  std::array<DeviceBuffer, 2> scratch_;
  const int group_;  // frames that pass together
  const Scan scan_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex mutex_;            // of the streams, of pending_ and of pairs_
  std::vector<Slot*> pending_;  // of which only the upload is queued
  Channel<Slot*> free_, in_flight_;
  std::string name_;
  std::vector<std::string> variants_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;  // one per step
  std::vector<PlanePair> pairs_;                        // of the step being queued
  std::atomic<std::size_t> device_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Processor> make_cuda_processor(Work work, int width, int height,
                                               const ProcessorOptions& options) {
  const CurrentDevice current(options.device_index);
  return std::make_unique<CudaProcessor>(std::move(work), width, height, options);
}

}  // namespace vidconv
