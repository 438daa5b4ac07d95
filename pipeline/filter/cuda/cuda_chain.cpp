#include "pipeline/filter/cuda/cuda_chain.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pipeline/device/cuda.h"

namespace vidconv {
namespace {

// Returns a layout with room for frames of that size as decoders pad them.
FrameLayout padded_layout(const TimedWork& work, int width, int height) {
  return aligned_layout(work.format(), width + 128, height + 64);
}

}  // namespace

CudaChain::CudaChain(const TimedWork& work, int width, int height, const ProcessorOptions& options)
    : FrameStages(work), staged_(is_staged(work)), device_(options.device_index), free_(count()) {
  // As many frames as are held at once: those of all slots' windows, and one that the last window
  // still has.
  const int held = options.slots + static_cast<int>(reach().before + reach().after) + 2;
  for (std::size_t s = 0; s < count(); ++s) {
    ProcessorOptions own = options;
    if (s + 1 < count()) own.stay_on_device = true, own.slots = held;
    stages_.push_back(std::make_unique<CudaStages>(this->work(s), width, height, own, streams_));
  }
  if (!staged_) return;
  copies_.emplace(padded_layout(work, width, height), device_memory);
  copies_->reserve(held);
  for (std::size_t s = 0; s + 1 < count(); ++s)
    for (int i = 0; i < held; ++i) free_[s].push_back(stages_[s]->make_slot(true));
}

std::unique_ptr<ChainSlot> CudaChain::make_slot() {
  return std::make_unique<ChainSlot>(last().make_slot(staged_));
}

std::unique_ptr<Slot> CudaChain::take_slot(std::size_t stage) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<Slot>>& free = free_[stage];
    if (!free.empty()) {
      std::unique_ptr<Slot> slot = std::move(free.back());
      free.pop_back();
      return slot;
    }
  }
  return stages_[stage]->make_slot(true);
}

void CudaChain::prepare(ChainSlot& slot) {
  if (!staged_) return last().prepare(*slot.last);
  slot.given.emplace(std::move(*slot.last->input));
  slot.last->input.reset();
  now_ = &slot;
  const Frame made = make(*slot.given);
  set_frame_duration(slot.last->output->av(), frame_duration(made.av()));

  const FrameWindow& window = *slot.given->window();
  std::map<const std::byte*, std::shared_ptr<ChainSlot::Copy>> still;
  for (const SharedFrame& frame : window.frames)
    if (const auto copy = held_.find(frame->extent().data()); copy != held_.end())
      still.insert(*copy);
  held_ = std::move(still);
  const std::int64_t here = window.result * reach().every + reach().phase - window.first;
  const auto copy = held_.find(window.frames.at(static_cast<std::size_t>(here))->extent().data());
  slot.given_at = copy == held_.end() ? nullptr : copy->second->at;
}

Frame CudaChain::filter(std::size_t stage, Frame input) {
  const bool is_last = stage + 1 == count();
  std::unique_ptr<Slot> taken = is_last ? nullptr : take_slot(stage);
  Slot& slot = is_last ? *now_->last : *taken;
  slot.input.emplace(std::move(input));
  slot.input_at = on_device(*slot.input);
  slot.taps.clear();
  if (const FrameTaps* const taps = slot.input->taps().get())
    for (const FrameTaps::Tap& tap : taps->taps) {
      TimeFrame frame;
      if (tap.frame) frame = planes_at(*tap.frame, on_device(*tap.frame));
      frame.number = tap.frame ? tap.number : -1;
      slot.taps.push_back(frame);
    }
  stages_[stage]->prepare(slot);
  Frame made = slot.output->share();
  if (!is_last) now_->earlier.push_back({stage, std::move(taken)});
  return made;
}

// Returns where the frame's extent lies in this device's memory; a frame of the host is copied once
// for all windows that it is in.
std::byte* CudaChain::on_device(const Frame& frame) {
  const std::span<const std::byte> from = frame.extent();
  if (frame.on_device() && device_of(from.data()) == device_)
    return const_cast<std::byte*>(from.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  std::shared_ptr<ChainSlot::Copy>& copy = held_[from.data()];
  if (!copy) {
    if (from.size() > copies_->layout().bytes) {
      FrameLayout larger = copies_->layout();
      larger.bytes = from.size();
      copies_.emplace(larger, device_memory);
    }
    copy = std::make_shared<ChainSlot::Copy>();
    copy->frame = std::make_shared<const Frame>(frame.share());
    copy->memory = copies_->get();
    copy->at = reinterpret_cast<std::byte*>(copy->memory->buf[0]->data);
    now_->uploads.push_back(copy);
  }
  now_->used.push_back(copy);
  return copy->at;
}

double CudaChain::difference(const Frame& a, const Frame& b) {
  return mean_difference(on_host(a), on_host(b));
}

// Returns a frame of the source where the CPU can read it.
Frame CudaChain::on_host(const Frame& frame) {
  if (!frame.on_device()) return frame.share();
  if (!hosted_)
    hosted_.emplace(aligned_layout(frame.format(), frame.width(), frame.height()), plain_memory);
  Frame copy(hosted_->get(), frame);
  for (int p = 0; p < frame.format().planes; ++p)
    check_cuda(cudaMemcpy2D(copy.row(p, 0), static_cast<std::size_t>(copy.av().linesize[p]),
                            frame.row(p, 0), static_cast<std::size_t>(frame.av().linesize[p]),
                            static_cast<std::size_t>(frame.format().row_bytes(p, frame.width())),
                            static_cast<std::size_t>(frame.format().rows(p, frame.height())),
                            cudaMemcpyDefault),
               "cannot compare frames");
  return copy;
}

void CudaChain::release(ChainSlot& slot) {
  slot.last->input.reset();
  if (!staged_) return;
  slot.last->taps.clear();
  slot.used.clear();
  slot.uploads.clear();
  slot.given.reset();
  for (ChainSlot::Earlier& earlier : slot.earlier) {
    earlier.slot->input.reset();
    earlier.slot->output.reset();
    const std::lock_guard lock(mutex_);
    free_[earlier.stage].push_back(std::move(earlier.slot));
  }
  slot.earlier.clear();
}

void CudaChain::warm_up(ChainSlot& slot) {
  for (std::size_t s = 0; s + 1 < count(); ++s) {
    stages_[s]->warm_up(*free_[s].front());
  }
  last().warm_up(*slot.last);
}

void CudaChain::fill(std::span<const std::unique_ptr<ChainSlot>> slots, const Frame& sample) {
  std::vector<SharedFrame> samples;
  if (staged_ && !sample.on_device())
    for (Frame& copy : copies_of(sample, last().layout()))
      samples.push_back(std::make_shared<const Frame>(std::move(copy)));
  else
    samples.push_back(std::make_shared<const Frame>(sample.share()));
  std::int64_t result = 0;
  for (const auto& slot : slots) {
    Frame frame = sample.share();
    if (staged_) frame.set_window(sample_window(reach(), result++, samples));
    slot->last->input.emplace(std::move(frame));
    prepare(*slot);
  }
}

void CudaChain::empty(std::span<const std::unique_ptr<ChainSlot>> slots) {
  for (const auto& slot : slots) {
    release(*slot);
    slot->last->output.reset();
  }
  forget_all();
  held_.clear();
}

void CudaChain::upload(ChainSlot& slot) {
  const Passage& passage = slot.last->passage;
  passage.begin(Passage::upload, streams_.upload);
  for (const auto& copy : slot.uploads) {
    const std::span<const std::byte> from = copy->frame->extent();
    streams_.upload.upload(copy->at, from.data(), from.size());
  }
  slot.uploads.clear();
  for (const ChainSlot::Earlier& earlier : slot.earlier)
    stages_[earlier.stage]->upload(*earlier.slot);
  last().upload(*slot.last);
  passage.end(Passage::upload, streams_.upload);
}

void CudaChain::convolve(ChainSlot& slot) {
  const Passage& passage = slot.last->passage;
  passage.begin(Passage::convolve, streams_.convolve);
  for (const ChainSlot::Earlier& earlier : slot.earlier)
    stages_[earlier.stage]->convolve(*earlier.slot);
  last().convolve(*slot.last);
  passage.end(Passage::convolve, streams_.convolve);
}

void CudaChain::download(ChainSlot& slot) {
  const Passage& passage = slot.last->passage;
  passage.begin(Passage::download, streams_.download);
  copy_down(slot);
  passage.end(Passage::download, streams_.download);
}

void CudaChain::copy_up(ChainSlot& slot) {
  if (!staged_) return last().copy_up(*slot.last);
  if (!slot.given_at) return;
  const std::span<const std::byte> from = std::as_const(*slot.given).extent();
  streams_.upload.upload(slot.given_at, from.data(), from.size());
}

void CudaChain::copy_down(ChainSlot& slot) { last().copy_down(*slot.last); }

void CudaChain::follow_up(std::span<ChainSlot* const> slots) {
  const Passage& end = slots.back()->last->passage;
  streams_.upload.record(end.done(Passage::upload));
  streams_.convolve.wait_for(end.done(Passage::upload));
  for (ChainSlot* slot : slots) convolve(*slot);
  streams_.convolve.record(end.done(Passage::convolve));
  if (!downloads()) return;
  streams_.download.wait_for(end.done(Passage::convolve));
  for (ChainSlot* slot : slots) download(*slot);
  streams_.download.record(end.done(Passage::download));
}

void CudaChain::record(std::span<const Event, 3> ends) const {
  streams_.upload.record(ends[0]);
  streams_.convolve.record(ends[1]);
  streams_.download.record(ends[2]);
}

MemoryUse CudaChain::memory() const {
  MemoryUse all;
  for (const auto& stage : stages_) {
    all.host += stage->memory().host;
    all.device += stage->memory().device;
  }
  if (copies_) all.device += copies_->bytes();
  return all;
}

std::vector<std::string> CudaChain::variants() const {
  std::vector<std::string> all;
  for (const auto& stage : stages_) std::ranges::copy(stage->variants(), std::back_inserter(all));
  return all;
}

}  // namespace vidconv
