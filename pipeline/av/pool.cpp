#include "pipeline/av/pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace vidconv {
namespace {

constexpr std::size_t alignment = 64;  // bytes: a cache line, and an AVX-512 register
constexpr std::size_t page = 4096, large_page = 2 << 20;

std::byte* allocate_plain(std::size_t bytes, Nodes) noexcept {
  if (bytes >= large_page) return allocate_pages(bytes);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
}

void release_plain(std::byte* memory) noexcept { std::free(memory); }

}  // namespace

std::byte* allocate_pages(std::size_t bytes) noexcept {
  const std::size_t rounded = (bytes + page - 1) / page * page;
  const bool large = rounded >= large_page;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? large_page : page, rounded) != 0) return nullptr;
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

const FrameMemory plain_memory{
    .name = "plain", .allocate = allocate_plain, .release = release_plain, .rows = Rows::apart};

struct FramePool::Arena {
  explicit Arena(const FrameMemory& from) : memory(from) {}

  bool owns(const AVBufferRef* buffer) const noexcept {
    const std::lock_guard lock(mutex);
    return std::ranges::find(blocks, reinterpret_cast<const std::byte*>(buffer->data)) !=
           blocks.end();
  }

  const FrameMemory memory;
  mutable std::mutex mutex;              // guards blocks
  std::vector<const std::byte*> blocks;  // all blocks ever allocated

  static AVBufferRef* allocate(void* opaque, std::size_t bytes) noexcept {
    Arena& arena = *static_cast<Arena*>(opaque);
    std::byte* block = arena.memory.allocate(bytes, arena.memory.nodes);
    if (!block) return nullptr;
    AVBufferRef* buffer =
        av_buffer_create(reinterpret_cast<std::uint8_t*>(block), bytes, release, &arena, 0);
    try {
      const std::lock_guard lock(arena.mutex);
      if (buffer) arena.blocks.push_back(block);
    } catch (...) {
      av_buffer_unref(&buffer);
      return nullptr;
    }
    if (!buffer) arena.memory.release(block);
    return buffer;
  }

  static void release(void* opaque, std::uint8_t* data) noexcept {
    static_cast<Arena*>(opaque)->memory.release(reinterpret_cast<std::byte*>(data));
  }

  static void destroy(void* opaque) noexcept { delete static_cast<Arena*>(opaque); }
};

// Keeps frames with their buffers, for get() to reuse.
class FramePool::Home final : public FrameHome {
 public:
  explicit Home(const Arena& arena) : arena_(arena) { frames_.reserve(64); }

  bool take_back(AVFrame& frame) noexcept override {
    AVBufferRef* buffer = frame.buf[0];
    if (!buffer || frame.buf[1] || av_buffer_get_ref_count(buffer) != 1) return false;
    const std::lock_guard lock(mutex_);
    if (closed_ || !arena_.owns(buffer)) return false;
    frame.buf[0] = nullptr;  // resets all else
    av_frame_unref(&frame);
    frame.buf[0] = buffer;
    try {
      frames_.push_back(&frame);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  // Returns null where there are none.
  AVFrame* take() {
    const std::lock_guard lock(mutex_);
    if (frames_.empty()) return nullptr;
    AVFrame* frame = frames_.back();
    frames_.pop_back();
    return frame;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (AVFrame* frame : frames_) av_frame_free(&frame);
    frames_.clear();
  }

 private:
  const Arena& arena_;  // alive at least until close()
  std::mutex mutex_;
  std::vector<AVFrame*> frames_;
  bool closed_ = false;
};

FramePool::FramePool(const FrameLayout& layout, const FrameMemory& memory)
    : layout_(layout), arena_(new Arena(memory)), home_(std::make_shared<Home>(*arena_)) {
  pool_ = av_buffer_pool_init2(layout.bytes, arena_, Arena::allocate, Arena::destroy);
  if (!pool_) {
    delete arena_;
    throw_out_of_memory("for frames");
  }
}

FramePool::~FramePool() {
  home_->close();
  av_buffer_pool_uninit(&pool_);
}

void FramePool::point_into_buffer(AVFrame& frame) const {
  for (int p = 0; p < layout_.format->planes; ++p) {
    frame.data[p] = frame.buf[0]->data + layout_.offset[static_cast<std::size_t>(p)];
    frame.linesize[p] = layout_.stride[static_cast<std::size_t>(p)];
  }
  frame.extended_data = frame.data;
}

bool FramePool::fill(AVFrame& frame) noexcept {
  frame.buf[0] = av_buffer_pool_get(pool_);
  if (!frame.buf[0]) return false;
  point_into_buffer(frame);
  return true;
}

FramePtr FramePool::get() {
  FramePtr frame(home_->take(), {home_});
  if (frame) {
    point_into_buffer(*frame);
  } else {
    frame = FramePtr(make_frame().release(), {home_});
    if (!fill(*frame))
      throw_out_of_memory("for a frame", std::to_string(layout_.bytes) + " bytes, " +
                                             std::string(arena_->memory.name));
  }
  frame->format = layout_.format->id;
  frame->width = layout_.width;
  frame->height = layout_.height;
  return frame;
}

void FramePool::reserve(int frames) {
  std::vector<FramePtr> held;
  for (int i = 0; i < frames; ++i) held.push_back(get());
}

bool FramePool::owns(const AVFrame& frame) const {
  return frame.buf[0] && !frame.buf[1] && arena_->owns(frame.buf[0]);
}

int FramePool::allocated() const {
  const std::lock_guard lock(arena_->mutex);
  return static_cast<int>(arena_->blocks.size());
}

std::shared_ptr<FramePool> ChangingPool::of(const FrameLayout& layout) {
  const std::lock_guard lock(mutex_);
  if (!pool_ || pool_->layout() != layout) pool_ = std::make_shared<FramePool>(layout, memory_);
  return pool_;
}

bool ChangingPool::owns(const AVFrame& frame) const {
  const std::lock_guard lock(mutex_);
  return pool_ && pool_->owns(frame);
}

std::size_t ChangingPool::bytes() const {
  const std::lock_guard lock(mutex_);
  return pool_ ? pool_->bytes() : 0;
}

}  // namespace vidconv
