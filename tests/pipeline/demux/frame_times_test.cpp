// Tests when frames are shown if the decoder does not say so, or says the same twice.
#include "pipeline/demux/frame_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vidconv {
namespace {

constexpr std::int64_t unknown = AV_NOPTS_VALUE;
constexpr AVRational rate{25, 1}, no_rate{0, 1};

class Times : public testing::Test {
 protected:
  Times() { stream_.time_base = {1, 1000}; }

  static FramePtr told(std::int64_t time, std::int64_t duration) {
    FramePtr frame = make_frame();
    frame->best_effort_timestamp = time;
    set_frame_duration(*frame, duration);
    return frame;
  }

  // Returns the time that a frame gets when it is handed on; the first is shown at 0 if nobody
  // knows.
  std::int64_t pass(std::int64_t time, std::int64_t duration = 0, std::int64_t offset = 0) {
    const FramePtr frame = told(time, duration);
    FrameTimes::Shown shown = times_.find(*frame, rate);
    if (shown.pts == unknown) shown.pts = 0;
    times_.set(*frame, shown, offset, number_++);
    EXPECT_EQ(frame_duration(*frame), shown.duration);
    return frame->pts;
  }

  AVStream stream_{};
  std::vector<std::string> notices_;
  FrameTimes times_{stream_, [this](MessageKind kind, const std::string& line) {
                      EXPECT_EQ(kind, MessageKind::times_moved);
                      notices_.push_back(line);
                    }};
  std::int64_t number_ = 0;
};

TEST_F(Times, ThatAreToldAreKept) {
  for (const std::int64_t time : {-80, 0, 7, 1000}) EXPECT_EQ(pass(time, 5), time);
  EXPECT_EQ(times_.end(), 1005);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(Times, ThatAreNotToldFollow) {
  EXPECT_EQ(pass(unknown), 0);        // for the nominal 40
  EXPECT_EQ(pass(unknown, 100), 40);  // for as long as is told
  EXPECT_EQ(pass(unknown), 140);
  EXPECT_EQ(pass(1000), 1000);
  EXPECT_EQ(pass(unknown), 1040);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(Times, OfFramesThatAreNotHandedOnCountToo) {
  times_.find(*told(500, 0), rate);
  EXPECT_EQ(pass(unknown), 540);
}

TEST_F(Times, AreUnknownBeforeTheFirstThatIsTold) {
  EXPECT_EQ(times_.find(*told(unknown, 40), rate).pts, unknown);
  const FrameTimes::Shown shown = times_.find(*told(300, 0), no_rate);
  EXPECT_EQ(shown.pts, 300);
  EXPECT_EQ(shown.duration, 0);
  EXPECT_EQ(times_.find(*told(unknown, 0), rate).pts, 300);
}

TEST_F(Times, AreMovedUntilTheyGrow) {
  EXPECT_EQ(pass(1000, 0, 1000), 0);
  EXPECT_EQ(pass(1000, 0, 1000), 1);
  EXPECT_EQ(pass(900, 0, 1000), 2);
  EXPECT_EQ(times_.end(), 1042);
  EXPECT_EQ(pass(unknown, 0, 1000), 42);
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_NE(notices_[0].find("from frame 1 on"), std::string::npos) << notices_[0];
}

}  // namespace
}  // namespace vidconv
