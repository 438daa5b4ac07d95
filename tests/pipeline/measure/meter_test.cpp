// Tests the meter's own judgement: it finds frames by their times, and says which do not come out.
#include "pipeline/measure/meter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace vidconv::test {
namespace {

constexpr int side = 16;
constexpr AVRational tick = {1, 25};

// Measures bare grey pictures: what goes in is what comes out.
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
    meter_ = make_meter();
  }
  std::unique_ptr<Meter> make_meter() {
    return std::make_unique<Meter>(log_, *parameters_, tick, "gray",
                                   [this](MessageKind kind, const std::string& line) {
                                     EXPECT_EQ(kind, MessageKind::fallback);
                                     told_.push_back(line);
                                   });
  }

  static FramePtr grey(int code) {
    FramePtr frame = make_frame();
    frame->format = AV_PIX_FMT_GRAY8;
    frame->width = frame->height = side;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    for (int y = 0; y < side; ++y)
      std::memset(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0], code, side);
    return frame;
  }

  void expect(std::int64_t pts, int code, bool logged = true) {
    if (logged) log_.expect(pts);
    meter_->expect(*grey(code), pts);
  }
  // `picture`: the code of the encoder's own picture.
  void take(std::int64_t pts, int code, std::optional<int> picture = std::nullopt,
            bool is_key = true) {
    PacketPtr packet = make_packet();
    ASSERT_GE(av_new_packet(packet.get(), side * side), 0);
    std::memset(packet->data, code, side * side);
    packet->pts = packet->dts = pts;
    if (is_key) packet->flags |= AV_PKT_FLAG_KEY;
    meter_->take(*packet, picture ? grey(*picture) : nullptr);
  }
  // The encoder's own pictures are what the packets hold, except at `wrong`; each is one off what
  // went in.
  void measure_by_pictures(int count, int wrong) {
    for (int i = 0; i < count; ++i) {
      expect(i, 100);
      take(i, 101, i == wrong ? 105 : 101, i % 250 == 0);
    }
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
  std::vector<std::string> told_;
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

// A wrong picture between two checks is in the figures, and is the only one.
TEST_F(MeterTest, TakesTheEncodersPictures) {
  measure_by_pictures(600, 100);
  EXPECT_EQ(failure(), "");
  ASSERT_EQ(seen_.size(), 600U);
  for (const FrameScore& score : seen_) EXPECT_EQ(score.mse, score.pts == 100 ? 25 : 1);
  EXPECT_TRUE(told_.empty());
}

// The first pictures differ before any of them was taken for good.
TEST_F(MeterTest, DecodesAllWhereTheEncodersFirstPicturesAreOthers) {
  for (const int wrong : {0, 11}) {
    SCOPED_TRACE(wrong);
    told_.clear();
    seen_.clear();
    meter_ = make_meter();
    measure_by_pictures(300, wrong);
    EXPECT_EQ(failure(), "");
    ASSERT_EQ(seen_.size(), 300U);
    for (const FrameScore& score : seen_) EXPECT_EQ(score.mse, 1);
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_NE(told_[0].find("own picture at " + std::to_string(wrong)), std::string::npos);
  }
}

TEST_F(MeterTest, ChecksTheEncodersPicturesNowAndThen) {
  for (const int wrong : {250, 261, 500}) {
    SCOPED_TRACE(wrong);
    meter_ = make_meter();
    std::string said;
    try {
      measure_by_pictures(600, wrong);
    } catch (const Error& error) {
      said = error.message();
    }
    if (said.empty()) said = failure();
    EXPECT_NE(said.find("own picture at " + std::to_string(wrong)), std::string::npos) << said;
    EXPECT_NE(said.find("measured before"), std::string::npos);
  }
  EXPECT_TRUE(told_.empty());
}

TEST_F(MeterTest, SaysThatTheEncoderHasKeptAPicture) {
  for (int i = 0; i < 30; ++i) {
    expect(i, 1);
    if (i < 29) take(i, 1, 1);
  }
  take(29, 1);
  EXPECT_NE(failure().find("kept a picture to itself"), std::string::npos);
}

TEST_F(MeterTest, SaysThatAFrameOfTheEncodersDidNotComeOut) {
  for (int i = 0; i < 30; ++i) expect(i, 1);
  for (int i = 0; i < 29; ++i) take(i, 1, 1);
  EXPECT_NE(failure().find("1 frames that went in did not come out"), std::string::npos);
}

// Frames come as from shards of a video that are encoded at once.
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
  EXPECT_THROW(Meter(log, *parameters, tick, "grayf32le", nullptr), Error);
  parameters->codec_id = AV_CODEC_ID_AVS3;  // FFmpeg does not decode it by itself
  parameters->format = AV_PIX_FMT_YUV420P;
  EXPECT_THROW(Meter(log, *parameters, tick, "yuv420p", nullptr), Error);
  avcodec_parameters_free(&parameters);
}

}  // namespace
}  // namespace vidconv::test
