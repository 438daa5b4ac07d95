#include "pipeline/filter/caller_frames.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "pipeline/av/pool.h"

namespace vidconv {
namespace {

const PixelFormat& gray = *find_format(AV_PIX_FMT_GRAY8);

// Says what a stream has done.
struct Progress {
  bool passed = false, fails = false;
  int waited = 0;
};

// A point in the work of a stream that the test moves on; waiting for it moves it there.
class Mark final : public StreamMark {
 public:
  explicit Mark(Progress& stream) : stream_(stream) {}
  bool passed() const override { return stream_.passed; }
  void wait() const override {
    ++stream_.waited;
    if (stream_.fails) throw Error(Fault::device, "the CUDA device failed", "", "");
    stream_.passed = true;
  }

 private:
  Progress& stream_;
};

template <class... Streams>
FramesInUse::Marks marks(Streams&... streams) {
  FramesInUse::Marks all;
  (all.push_back(std::make_unique<const Mark>(streams)), ...);
  return all;
}

// The memory of frames that are dropped comes back to the pool, which then has no need of more.
struct Frames {
  FramePool pool{aligned_layout(gray, 64, 48), plain_memory};
  Frame next() { return {pool.get(), 0}; }
  bool has_back(int frames) {
    const int before = pool.allocated();
    pool.reserve(frames);
    return pool.allocated() == before;
  }
};

TEST(FramesInUse, FrameThatNobodyUsesIsDroppedAtOnce) {
  Frames frames;
  Progress done{.passed = true};
  FramesInUse in_use;
  in_use.add(frames.next(), {});
  in_use.add(frames.next(), marks(done));
  EXPECT_EQ(frames.pool.allocated(), 1);
  EXPECT_EQ(done.waited, 0);
}

TEST(FramesInUse, FrameIsKeptUntilAllStreamsHavePassed) {
  Frames frames;
  Progress first, second;
  FramesInUse in_use;
  in_use.add(frames.next(), marks(first, second));
  EXPECT_FALSE(frames.has_back(1));
  first.passed = true;
  in_use.add(frames.next(), {});
  EXPECT_FALSE(frames.has_back(2));
  second.passed = true;
  in_use.add(frames.next(), {});
  EXPECT_TRUE(frames.has_back(2));
  EXPECT_EQ(first.waited + second.waited, 0);
}

TEST(FramesInUse, OldestAreWaitedForWhereTheyAreTooMany) {
  Frames frames;
  std::vector<Progress> streams(5);
  FramesInUse in_use;  // waits for those that are left in the end
  for (Progress& stream : streams) in_use.add(frames.next(), marks(stream));
  in_use.reduce(5);
  EXPECT_EQ(streams[0].waited, 0);
  in_use.reduce(3);
  EXPECT_TRUE(streams[0].passed && streams[1].passed && !streams[2].passed);
  EXPECT_TRUE(frames.has_back(2));
}

TEST(FramesInUse, EndWaitsForStreamsAndNotForFailedOnes) {
  Frames frames;
  Progress fails{.fails = true}, second;
  {
    FramesInUse in_use;
    in_use.add(frames.next(), marks(fails));
    in_use.add(frames.next(), marks(second));
    EXPECT_FALSE(frames.has_back(1));
  }
  EXPECT_EQ(fails.waited, 1);
  EXPECT_TRUE(second.passed);
  EXPECT_TRUE(frames.has_back(2));
}

}  // namespace
}  // namespace vidconv
