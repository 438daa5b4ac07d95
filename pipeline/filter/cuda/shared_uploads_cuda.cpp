#include "pipeline/filter/cuda/shared_uploads_cuda.h"

#include <algorithm>

namespace vidconv {

std::unique_ptr<SharedUploads> make_shared_uploads() { return std::make_unique<CudaUploads>(); }

// Returns nullptr where nobody has asked for a frame on that device.
SharedUpload::Copy* SharedUpload::on(int device) {
  const auto found = std::ranges::find(copies_, device, &Copy::device);
  return found == copies_.end() ? nullptr : &*found;
}

std::byte* SharedUpload::place(int device, FramePool& pool) {
  const std::lock_guard lock(mutex_);
  Copy* copy = on(device);
  if (!copy) copy = &copies_.emplace_back(Copy{device, nullptr});
  if (!copy->memory) copy->memory = pool.get();
  return reinterpret_cast<std::byte*>(copy->memory->buf[0]->data);
}

bool SharedUpload::wait(int device, const Stream& stream) {
  const std::lock_guard lock(mutex_);
  const Copy* const copy = on(device);
  if (!copy || !copy->queued) return false;
  stream.wait_for(copy->there);
  return true;
}

bool SharedUpload::upload(int device, std::span<const std::byte> from, const Stream& stream) {
  const std::lock_guard lock(mutex_);
  Copy& copy = *on(device);
  if (copy.queued) {
    stream.wait_for(copy.there);
    return false;
  }
  stream.upload(reinterpret_cast<std::byte*>(copy.memory->buf[0]->data), from.data(), from.size());
  stream.record(copy.there);
  copy.queued = true;
  return true;
}

void SharedUpload::forget() {
  const std::lock_guard lock(mutex_);
  for (Copy& copy : copies_) {
    copy.memory.reset();
    copy.queued = false;
  }
}

std::shared_ptr<SharedUpload> CudaUploads::make() {
  const std::lock_guard lock(mutex_);
  if (unused_.empty()) {
    all_.push_back(std::make_unique<SharedUpload>());
    unused_.reserve(all_.size());  // for take_back()
    unused_.push_back(all_.back().get());
  }
  SharedUpload* const upload = unused_.back();
  unused_.pop_back();
  return {upload, [this](SharedUpload* done) { take_back(done); }};
}

void CudaUploads::take_back(SharedUpload* upload) noexcept {
  upload->forget();
  const std::lock_guard lock(mutex_);
  unused_.push_back(upload);
}

std::shared_ptr<FramePool> CudaUploads::pool(int device, const FrameLayout& layout, int frames) {
  const std::lock_guard lock(pools_mutex_);
  std::weak_ptr<FramePool>& known = pools_[{device, layout.bytes}];
  std::shared_ptr<FramePool> pool = known.lock();
  if (!pool) known = pool = std::make_shared<FramePool>(layout, device_memory);
  if (pool->allocated() < frames) pool->reserve(frames);
  return pool;
}

}  // namespace vidconv
