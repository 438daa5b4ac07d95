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

// Outputs that filter the same frames are so many apart: those that wait for each (SharedSource),
// and those on their way from there to its processor (run()).
constexpr int apart = 8;

}  // namespace

CudaChain::CudaChain(const TimedWork& work, int width, int height, const ProcessorOptions& options)
    : FrameStages(work),
      staged_(is_staged(work)),
      device_(options.device_index),
      shares_(static_cast<CudaUploads*>(options.uploads)),
      free_(count()) {
  // As many frames as are held at once: those of all slots' windows, and one that the last window
  // still has.
  const int held = options.slots + static_cast<int>(reach().before + reach().after) + 2;
  for (std::size_t s = 0; s < count(); ++s) {
    ProcessorOptions own = options;
    if (s + 1 < count()) own.stay_on_device = true, own.slots = held;
    stages_.push_back(std::make_unique<CudaStages>(this->work(s), width, height, own, streams_));
  }
  if (shares_) {
    copies_ = shares_->pool(device_, padded_layout(work, width, height), held + apart);
  } else if (staged_) {
    copies_ = std::make_shared<FramePool>(padded_layout(work, width, height), device_memory);
    copies_->reserve(held);
  }
  for (std::size_t s = 0; s + 1 < count(); ++s)
    for (int i = 0; i < held; ++i) free_[s].push_back(stages_[s]->make_slot(true));
}

std::unique_ptr<ChainSlot> CudaChain::make_slot() {
  return std::make_unique<ChainSlot>(last().make_slot(staged_ || shares_));
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
  if (!staged_) {
    if (shares_) place_shared(slot);
    return last().prepare(*slot.last);
  }
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
    for (const FrameTaps::Tap& tap : taps->taps)
      slot.taps.push_back(tap.frame ? on_device(*tap.frame) : nullptr);
  stages_[stage]->prepare(slot);
  Frame made = slot.output->share();
  if (!is_last) now_->earlier.push_back({stage, std::move(taken)});
  return made;
}

bool CudaChain::lies_here(const Frame& frame) const {
  return frame.on_device() && device_of(frame.extent().data()) == device_;
}

// Finds the place of a frame that other outputs filter too. One without such a place gets the
// slot's own.
void CudaChain::place_shared(ChainSlot& slot) {
  const Frame& frame = *slot.last->input;
  slot.shared = lies_here(frame) ? nullptr : frame.upload();
  slot.last->placed = slot.shared != nullptr;
  if (slot.shared)
    slot.last->input_at = slot.shared->place(device_, pool_for(frame.extent().size()));
}

// Returns the pool of frames of the host, which have so many bytes.
FramePool& CudaChain::pool_for(std::size_t bytes) {
  if (bytes > copies_->layout().bytes) {
    FrameLayout larger = copies_->layout();
    larger.bytes = bytes;
    copies_ = shares_ ? shares_->pool(device_, larger, 0)
                      : std::make_shared<FramePool>(larger, device_memory);
  }
  return *copies_;
}

// Returns where the frame's extent lies in this device's memory; a frame of the host is copied once
// for all windows that it is in, and for all outputs.
std::byte* CudaChain::on_device(const Frame& frame) {
  const std::span<const std::byte> from = frame.extent();
  if (lies_here(frame))
    return const_cast<std::byte*>(from.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  std::shared_ptr<ChainSlot::Copy>& copy = held_[from.data()];
  if (!copy) {
    copy = std::make_shared<ChainSlot::Copy>();
    copy->frame = std::make_shared<const Frame>(frame.share());
    FramePool& pool = pool_for(from.size());
    copy->shared = shares_ ? frame.upload() : nullptr;
    if (copy->shared) {
      copy->at = copy->shared->place(device_, pool);
    } else {
      copy->memory = pool.get();
      copy->at = reinterpret_cast<std::byte*>(copy->memory->buf[0]->data);
    }
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
  slot.shared.reset();
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
  for (const auto& stage : stages_) stage->forget_light();
  held_.clear();
}

void CudaChain::upload(ChainSlot& slot) {
  // Copies by others are waited for before the time of this slot's own copies begins.
  const auto is_copied = [&](const std::shared_ptr<SharedUpload>& shared) {
    return shared && shared->wait(device_, streams_.upload);
  };
  std::erase_if(slot.uploads, [&](const auto& one) { return is_copied(one->shared); });
  const bool copied = is_copied(slot.shared);
  const Passage& passage = slot.last->passage;
  passage.begin(Passage::upload, streams_.upload);
  for (const auto& one : slot.uploads) copy(*one->frame, one->shared.get(), one->at);
  slot.uploads.clear();
  for (const ChainSlot::Earlier& earlier : slot.earlier)
    stages_[earlier.stage]->upload(*earlier.slot);
  if (slot.shared && !copied) copy(*slot.last->input, slot.shared.get(), nullptr);
  if (!slot.last->in_place) ++uploads_;
  last().upload(*slot.last);
  passage.end(Passage::upload, streams_.upload);
}

// Queues a frame's copy to its place, which is at `at` unless it is shared.
void CudaChain::copy(const Frame& frame, SharedUpload* shared, std::byte* at) {
  const std::span<const std::byte> from = frame.extent();
  if (!shared)
    streams_.upload.upload(at, from.data(), from.size());
  else if (!shared->upload(device_, from, streams_.upload))
    return;
  ++uploads_;
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
