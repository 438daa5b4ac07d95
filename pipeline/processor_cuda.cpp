// The processor of a CUDA device. A frame passes three streams, upload, convolve and download, each
// of which works on another frame at the same time; events hand it from one to the next.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pipeline/channel.h"
#include "pipeline/cuda.h"
#include "pipeline/cuda_objects.h"
#include "pipeline/processor.h"
#include "pipeline/stopwatch.h"

namespace vidconv {
namespace {

// When the device began and ended one stage of one frame.
struct Span {
  Event begin, end;
  double seconds() const { return Event::seconds(begin, end); }
};

// What one frame in flight occupies. The frames are held until the device no longer uses them.
struct Slot {
  DeviceBuffer input_memory, output_memory;
  std::optional<Frame> input, output;
  Span upload, convolve, download;
};

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
        slots_(static_cast<std::size_t>(options.slots)),
        free_(slots_.size()),
        in_flight_(slots_.size()) {
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, index_), "cannot use the device");
    name_ = std::string(properties.name) + " (cuda:" + std::to_string(index_) + ")";
    for (const Step& step : work_.steps) {
      const Variant& variant = choose_variant(step, options);
      variants_.emplace_back(variant.name);
      convolvers_.push_back(as_device_error([&] { return variant.make(step.plan, 1); }));
    }

    // Decoders pad pictures; a frame that needs more than this makes its slot grow.
    const std::size_t padded = aligned_layout(*work_.format, width + 128, height + 64).bytes;
    for (int i = 0; i < work_.scratch_frames(); ++i)
      scratch_[static_cast<std::size_t>(i)] = allocate(pool_.layout().bytes);
    for (Slot& slot : slots_) {
      slot.input_memory = allocate(padded);
      slot.output_memory = allocate(pool_.layout().bytes);
      free_.push(&slot);
    }
    pool_.reserve(options.slots);
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
      upload(slot);
      convolve_.wait_for(slot.upload.end);
      convolve(slot);
      download_.wait_for(slot.convolve.end);
      download(slot);
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
      slot.download.end.wait();
      add(upload_time_, slot.upload);
      add(convolve_time_, slot.convolve);
      add(download_time_, slot.download);
      slot.input.reset();
      std::optional<Frame> output = std::exchange(slot.output, std::nullopt);
      free_.push(&slot);
      return output;
    });
  }

  std::vector<StageTime> stages() const override {
    return {{"upload", upload_time_}, {"convolve", convolve_time_}, {"download", download_time_}};
  }
  MemoryUse memory() const override { return {.host = pool_.bytes(), .device = device_bytes_}; }
  std::string device() const override { return name_; }
  std::vector<std::string> variants() const override { return variants_; }

  std::vector<StageRate> measure_stages(const Frame& sample, double seconds) override {
    const CurrentDevice current(index_);
    for (Slot& slot : slots_) prepare(slot, sample.share());
    const auto rate = [&](const char* name, Span Slot::*span, std::size_t bytes, auto&& enqueue) {
      for (Slot& slot : slots_) enqueue(slot);  // wakes the device
      for (Slot& slot : slots_) (slot.*span).end.wait();
      const auto start = Clock::now();
      int frames = 0;
      while (seconds_since(start) < seconds)
        for (Slot& slot : slots_) {
          (slot.*span).end.wait();
          enqueue(slot);
          ++frames;
        }
      for (Slot& slot : slots_) (slot.*span).end.wait();
      const double per_second = frames / seconds_since(start);
      return StageRate{name, per_second, per_second * static_cast<double>(bytes)};
    };
    std::vector<StageRate> rates;
    rates.push_back(
        rate("upload", &Slot::upload, sample.extent().size(), [&](Slot& slot) { upload(slot); }));
    rates.push_back(rate("convolve", &Slot::convolve, 0, [&](Slot& slot) { convolve(slot); }));
    rates.push_back(rate("download", &Slot::download, slots_[0].output->extent().size(),
                         [&](Slot& slot) { download(slot); }));
    for (Slot& slot : slots_) {
      slot.input.reset();
      slot.output.reset();
    }
    return rates;
  }

 private:
  using Seconds = std::atomic<double>;

  DeviceBuffer allocate(std::size_t bytes) {
    DeviceBuffer buffer(bytes);
    device_bytes_ += bytes;
    return buffer;
  }

  // Gives a free slot its frames, input and output.
  void prepare(Slot& slot, Frame frame) {
    if (slot.input_memory.size() < frame.extent().size()) {
      device_bytes_ -= slot.input_memory.size();
      slot.input_memory = allocate(frame.extent().size());
    }
    FramePtr av = pool_.get();
    if (av_frame_copy_props(av.get(), &frame.av()) < 0)
      throw Error(Fault::internal, "out of memory", "", "");
    slot.output.emplace(std::move(av), frame.number());
    slot.input.emplace(std::move(frame));
  }

  // The three stages. Each queues the work of one frame and returns.
  void upload(Slot& slot) {
    const std::span<const std::byte> from = std::as_const(*slot.input).extent();
    upload_.record(slot.upload.begin);
    upload_.upload(slot.input_memory.data(), from.data(), from.size());
    upload_.record(slot.upload.end);
  }

  void convolve(Slot& slot) {
    convolve_.record(slot.convolve.begin);
    for (std::size_t s = 0; s < work_.steps.size(); ++s) {
      const Step& step = work_.steps[s];
      pairs_.clear();
      for (const std::size_t i : step.components) {
        const BytePlane from = plane(slot, step.from, i);
        pairs_.push_back({{from.data, from.stride, from.width, from.height, from.step},
                          plane(slot, step.to, i)});
      }
      as_device_error([&] { convolvers_[s]->run(pairs_, convolve_.get()); });
    }
    convolve_.record(slot.convolve.end);
  }

  void download(Slot& slot) {
    const std::span<std::byte> to = slot.output->extent();
    download_.record(slot.download.begin);
    download_.download(to.data(), slot.output_memory.data(), to.size());
    download_.record(slot.download.end);
  }

  // Component i in device memory. Scratch memory is laid out as the output is; one frame after the
  // other uses it, because convolve_ keeps their order.
  BytePlane plane(const Slot& slot, Place place, std::size_t i) const {
    switch (place) {
      case Place::input:
        return slot.input->component_in(i, slot.input_memory.data());
      case Place::scratch0:
        return slot.output->component_in(i, scratch_[0].data());
      case Place::scratch1:
        return slot.output->component_in(i, scratch_[1].data());
      case Place::output:
        return slot.output->component_in(i, slot.output_memory.data());
    }
    throw Error(Fault::internal, "a step has no place", "", "");
  }

  static void add(Seconds& total, const Span& span) { total = total + span.seconds(); }

  const Work work_;
  const int index_;
  Stream upload_, convolve_, download_;
  FramePool pool_;  // of output frames
  std::array<DeviceBuffer, 2> scratch_;
  std::vector<Slot> slots_;
  Channel<Slot*> free_, in_flight_;
  std::string name_;
  std::vector<std::string> variants_;
  std::vector<std::unique_ptr<Convolver>> convolvers_;               // one per step
  std::vector<PlanePair> pairs_;                                     // of the step being queued
  Seconds upload_time_ = 0, convolve_time_ = 0, download_time_ = 0;  // written by collect()
  std::atomic<std::size_t> device_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Processor> make_cuda_processor(Work work, int width, int height,
                                               const ProcessorOptions& options) {
  const CurrentDevice current(options.device_index);
  return std::make_unique<CudaProcessor>(std::move(work), width, height, options);
}

}  // namespace vidconv
