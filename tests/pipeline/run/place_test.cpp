// Frames out of any processor have the number and the video of the frames that went in.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "pipeline/run/compare.h"
#include "tests/pipeline/support/support.h"

namespace vidconv::test {
namespace {

using Mode = Comparison::Mode;

std::unique_ptr<Processor> blur(const Source& source, Device device) {
  return processor_for(source, {"box"}, {.device = device});
}

void expect_kept(Source& source, Processor& processor, std::size_t video, std::int64_t number) {
  std::optional<Item> item = source.next();
  ASSERT_TRUE(item);
  Frame& frame = std::get<Frame>(*item);
  frame.set_place(video, number);
  ASSERT_TRUE(processor.submit(std::move(frame)));
  const std::optional<Frame> filtered = processor.collect();
  ASSERT_TRUE(filtered);
  EXPECT_EQ(filtered->video(), video);
  EXPECT_EQ(filtered->number(), number);
}

TEST(Place, IsKeptByEveryProcessor) {
  for (const Device device : all_devices()) {
    SCOPED_TRACE(device == Device::cuda ? "cuda" : "cpu");
    const auto source = open_source("pattern:64x48#9", source_options_for(device));
    expect_kept(*source, *blur(*source, device), 3, 17);
    for (const Mode mode : {Mode::split, Mode::side, Mode::flip})
      expect_kept(*source,
                  *make_compare_processor(blur(*source, device), source->video(), {mode, 1}), 2, 5);
    std::vector<std::unique_ptr<Processor>> both;
    for (int i = 0; i < 2; ++i) both.push_back(blur(*source, device));
    const auto joined = join_processors(std::move(both));
    for (const std::size_t video : {1u, 0u, 1u}) expect_kept(*source, *joined, video, 8);
  }
}

TEST(Place, IsKeptBySharedFrames) {
  const auto source = open_source("pattern:64x48#1", {});
  std::optional<Item> item = source->next();
  ASSERT_TRUE(item);
  Frame& frame = std::get<Frame>(*item);
  frame.set_place(2, 5);
  EXPECT_EQ(frame.share().video(), 2u);
  EXPECT_EQ(frame.share().number(), 5);
}

}  // namespace
}  // namespace vidconv::test
