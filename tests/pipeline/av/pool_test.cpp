#include "pipeline/av/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/av/frame.h"

namespace vidconv {
namespace {

std::atomic<int> live = 0;
const FrameMemory counted{"counted",
                          [](std::size_t bytes, Nodes) noexcept {
                            ++live;
                            return plain_memory.allocate(bytes, 0);
                          },
                          [](std::byte* memory) noexcept {
                            --live;
                            plain_memory.release(memory);
                          }};
const FrameMemory exhausted{"exhausted",
                            [](std::size_t, Nodes) noexcept -> std::byte* { return nullptr; },
                            [](std::byte*) noexcept {}};

const PixelFormat& yuv420p = *find_format(AV_PIX_FMT_YUV420P);

TEST(Pool, UsesMemoryAgain) {
  FramePool pool(aligned_layout(yuv420p, 100, 50), counted);
  std::set<const void*> seen;
  for (int i = 0; i < 100; ++i) seen.insert(pool.get()->data[0]);
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(pool.allocated(), 1);
}

// A frame takes over another one's layout, so that a copy of the bytes is a copy of the picture;
// the next one from the pool has the pool's layout again.
TEST(Pool, FramesLieAsOthersDo) {
  FrameLayout roomy = aligned_layout(yuv420p, 100, 50);
  roomy.bytes = aligned_layout(yuv420p, 300, 90).bytes;
  FramePool pool(roomy, counted), decoder(aligned_layout(yuv420p, 200, 70), counted);
  FramePtr av = decoder.get();
  av->width = 100;
  av->height = 50;
  Frame other(std::move(av), 0);
  Frame frame(pool.get(), 0);
  const std::uint8_t* const memory = frame.av().data[0];
  const int usual = frame.av().linesize[0];
  ASSERT_TRUE(frame.lie_as(other));
  EXPECT_EQ(frame.extent().size(), other.extent().size());
  EXPECT_EQ(frame.av().data[0], memory);
  for (std::size_t i = 0; i < 3; ++i) {
    std::byte* const base = frame.extent().data();
    EXPECT_EQ(frame.component(i).data, other.component_in(i, base).data);
    EXPECT_EQ(frame.component(i).stride, other.component(i).stride);
  }
  frame = Frame(pool.get(), 1);
  EXPECT_EQ(Frame(pool.get(), 2).av().linesize[0], usual);

  other.av().data[1] += 8;  // cropped
  EXPECT_FALSE(frame.lie_as(other));
  other.av().data[1] -= 8;
  other.av().linesize[0] *= -1;  // upside down
  EXPECT_FALSE(frame.lie_as(other));
  FramePool narrow(aligned_layout(yuv420p, 100, 50), counted);
  other.av().linesize[0] *= -1;
  Frame small(narrow.get(), 0);
  EXPECT_FALSE(small.lie_as(other));
  EXPECT_EQ(small.av().linesize[0], usual);
}

TEST(Pool, ReservedFramesAreAllThereIs) {
  FramePool pool(aligned_layout(yuv420p, 100, 50), counted);
  pool.reserve(3);
  EXPECT_EQ(pool.allocated(), 3);
  const FramePtr a = pool.get(), b = pool.get(), c = pool.get();
  EXPECT_EQ(pool.allocated(), 3);
}

TEST(Pool, FramesOutliveIt) {
  FramePtr frame;
  {
    FramePool pool(aligned_layout(yuv420p, 100, 50), counted);
    frame = pool.get();
    EXPECT_TRUE(pool.owns(*frame));
    EXPECT_EQ(live, 1);
  }
  frame->data[0][0] = 1;
  EXPECT_EQ(live, 1);
  frame.reset();
  EXPECT_EQ(live, 0);
}

TEST(Pool, OutOfMemoryIsAnError) {
  FramePool pool(aligned_layout(yuv420p, 100, 50), exhausted);
  try {
    pool.get();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::device);
  }
}

TEST(Pool, ManyThreads) {
  FramePool pool(aligned_layout(yuv420p, 64, 64), counted);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) pool.get()->data[0][0] = 1;
      });
  }
  EXPECT_LE(pool.allocated(), 4);
}

TEST(Pool, PagesAreWhole) {
  constexpr std::uintptr_t page = 4096, large = 2 << 20;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, large - 1, large, 7 * large}) {
    std::byte* memory = allocate_pages(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % (bytes < large - page ? page : large), 0u);
    memory[bytes - 1] = std::byte{1};
    plain_memory.release(memory);
  }
}

TEST(Layout, AlignedRowsKeepTheirShare) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    for (const int width : {1, 63, 64, 65, 100, 1000}) {
      const FrameLayout layout = aligned_layout(format, width, 7);
      EXPECT_EQ(layout.width, width);
      for (int p = 0; p < format.planes; ++p) {
        const auto i = static_cast<std::size_t>(p);
        EXPECT_EQ(layout.stride[i] % 64, 0);
        EXPECT_EQ(layout.offset[i] % 64, 0);
        EXPECT_GE(layout.stride[i], static_cast<int>(format.row_bytes(p, width)));
        EXPECT_LE(static_cast<std::size_t>(layout.offset[i]) +
                      static_cast<std::size_t>(layout.stride[i]) *
                          static_cast<std::size_t>(format.rows(p, 7)),
                  layout.bytes);
      }
    }
  }
}

TEST(Layout, PackedFramesHaveNoGaps) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    FramePool pool(packed_layout(format, 13, 7), plain_memory);
    const Frame frame(pool.get(), 0);
    EXPECT_EQ(frame.extent().size(), packed_bytes(format, 13, 7));
  }
}

// A device does this: one copy of the extent, then work on the components in the copy.
TEST(Frame, ComponentsInACopyOfTheExtent) {
  for (const PixelFormat& format : formats()) {
    SCOPED_TRACE(format.name);
    FramePool pool(aligned_layout(format, 13, 7), plain_memory);
    Frame frame(pool.get(), 0);
    const std::span<std::byte> extent = frame.extent();
    for (std::size_t i = 0; i < extent.size(); ++i) extent[i] = static_cast<std::byte>(i * 7);
    std::vector<std::byte> copy(extent.begin(), extent.end());
    for (std::size_t c = 0; c < format.components.size(); ++c) {
      const BytePlane here = frame.component(c), there = frame.component_in(c, copy.data());
      EXPECT_EQ(here.width, there.width);
      EXPECT_EQ(here.height, there.height);
      for (int y = 0; y < here.height; ++y) EXPECT_EQ(*here.row(y), *there.row(y));
    }
  }
}

TEST(Frame, ExtentOfAPictureThatStandsOnItsHead) {
  FramePool pool(packed_layout(*find_format(AV_PIX_FMT_GRAY8), 4, 3), plain_memory);
  FramePtr av = pool.get();
  const std::uint8_t* first = av->data[0];
  av->data[0] += 2 * av->linesize[0];
  av->linesize[0] = -av->linesize[0];
  const Frame frame(std::move(av), 0);
  EXPECT_EQ(reinterpret_cast<const std::uint8_t*>(frame.extent().data()), first);
  EXPECT_EQ(frame.extent().size(), 12u);
}

TEST(Frame, SharedFramesAreTheSameMemory) {
  FramePool pool(aligned_layout(yuv420p, 8, 8), counted);
  {
    const Frame frame(pool.get(), 5);
    const Frame other = frame.share();
    EXPECT_EQ(other.number(), 5);
    EXPECT_EQ(other.extent().data(), frame.extent().data());
    EXPECT_TRUE(equal_pictures(frame, other));
  }
  EXPECT_EQ(pool.allocated(), 1);
}

}  // namespace
}  // namespace vidconv
