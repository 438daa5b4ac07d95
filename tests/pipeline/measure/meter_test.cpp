// The meter's own judgement: frames are found by their times, and what does not come out is said.
#include "pipeline/measure/meter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace vidconv::test {
namespace {

constexpr int side = 16;
constexpr AVRational tick = {1, 25};

// Bare grey pictures: what goes in is what comes out.
class MeterTest : public testing::Test {
 protected:
  MeterTest()
      : log_({.measures = {.psnr = true, .ssim = true},
              .each = [this](const FrameScore& s) { seen_.push_back(s); }}) {
    parameters_.reset(avcodec_parameters_alloc());
    parameters_->codec_type = AVMEDIA_TYPE_VIDEO;
    parameters_->codec_id = AV_CODEC_ID_RAWVIDEO;
    parameters_->format = AV_PIX_FMT_GRAY8;
    parameters_->width = parameters_->height = side;
    meter_ = std::make_unique<Meter>(log_, *parameters_, tick, "gray");
  }

  void expect(std::int64_t pts, int code, bool logged = true) {
    FramePtr frame = make_frame();
    frame->format = AV_PIX_FMT_GRAY8;
    frame->width = frame->height = side;
    ASSERT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    for (int y = 0; y < side; ++y)
      std::memset(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0], code, side);
    if (logged) log_.expect(pts);
    meter_->expect(*frame, pts);
  }
  void take(std::int64_t pts, int code) {
    PacketPtr packet = make_packet();
    ASSERT_GE(av_new_packet(packet.get(), side * side), 0);
    std::memset(packet->data, code, side * side);
    packet->pts = packet->dts = pts;
    meter_->take(*packet);
  }
  std::string failure() {
    try {
      meter_->finish();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), MessageKind::unaccounted);
      return error.message();
    }
    return "";
  }

  struct Free {
    void operator()(AVCodecParameters* p) const { avcodec_parameters_free(&p); }
  };
  std::vector<FrameScore> seen_;
  MeasureLog log_;
  std::unique_ptr<AVCodecParameters, Free> parameters_;
  std::unique_ptr<Meter> meter_;
};

TEST_F(MeterTest, ComparesFramesOfOneTime) {
  for (const int i : {0, 1, 2}) expect(10 * i, 100);
  take(0, 100);
  take(10, 103);
  take(20, 99);
  EXPECT_EQ(failure(), "");
  ASSERT_EQ(seen_.size(), 3U);
  EXPECT_EQ(seen_[0].mse, 0);
  EXPECT_EQ(seen_[1].mse, 9);
  EXPECT_EQ(seen_[2].mse, 1);
  EXPECT_DOUBLE_EQ(seen_[2].time, 0.8);
  const Measured result = log_.result();
  EXPECT_EQ(result.psnr->worst.number, 1);
  EXPECT_NEAR(*result.psnr->all, 10 * std::log10(255 * 255 / (10.0 / 3)), 1e-12);
  EXPECT_FALSE(result.vmaf);
}

TEST_F(MeterTest, SaysThatAFrameDidNotComeOut) {
  expect(0, 1);
  expect(1, 1);
  take(0, 1);
  EXPECT_NE(failure().find("1 frames that went in did not come out"), std::string::npos);
}

TEST_F(MeterTest, SaysThatAFrameDidNotGoIn) {
  expect(0, 1);
  take(7, 1);
  EXPECT_NE(failure().find("a frame at 7 did not go in"), std::string::npos);
}

TEST_F(MeterTest, EndsWhereNobodyWaitsForIt) {
  for (int i = 0; i < 100; ++i) expect(i, i);
  for (int i = 0; i < 100; ++i) take(i, i);
  meter_.reset();
  EXPECT_LE(seen_.size(), 100U);
}

// As parts of a video do, which are encoded at once.
TEST_F(MeterTest, FramesAreLoggedInOrder) {
  for (const int i : {0, 1, 2, 3}) log_.expect(i);
  for (const int i : {2, 3, 0, 1}) {
    expect(i, 50 + i, false);
    take(i, 50);
  }
  EXPECT_EQ(failure(), "");
  ASSERT_EQ(seen_.size(), 4U);
  for (const int i : {0, 1, 2, 3}) {
    EXPECT_EQ(seen_[static_cast<std::size_t>(i)].number, i);
    EXPECT_EQ(seen_[static_cast<std::size_t>(i)].mse, i * i);
  }
}

TEST(MeterRefuses, WhatCannotBeCompared) {
  MeasureLog log({.measures = {.psnr = true}, .each = {}});
  AVCodecParameters* parameters = avcodec_parameters_alloc();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = AV_CODEC_ID_RAWVIDEO;
  parameters->width = parameters->height = side;
  parameters->format = AV_PIX_FMT_GRAYF32;
  EXPECT_THROW(Meter(log, *parameters, tick, "grayf32le"), Error);
  parameters->codec_id = AV_CODEC_ID_VVC;
  parameters->format = AV_PIX_FMT_YUV420P;
  EXPECT_THROW(Meter(log, *parameters, tick, "yuv420p"), Error);
  avcodec_parameters_free(&parameters);
}

}  // namespace
}  // namespace vidconv::test
