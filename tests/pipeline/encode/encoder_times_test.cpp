#include "pipeline/encode/encoder_times.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace vidconv::test {
namespace {

void set_times(AVFrame& frame, std::int64_t pts, std::int64_t duration) {
  frame.pts = pts;
  set_frame_duration(frame, duration);
}

TEST(EncoderTimes, AreInOrderWhateverAFileSaysOfItsDurations) {
  const AVCodec encoder{};
  for (const std::int64_t pts : {INT64_MIN + 1, std::int64_t{0}, INT64_MAX - 1})
    for (const std::int64_t duration : {std::int64_t{1}, INT64_MAX / 2, INT64_MAX}) {
      EncoderTimes times(encoder, true, false);
      const FramePtr frame = make_frame();
      set_times(*frame, pts, duration);
      times.keep(0, *frame);
      for (const std::int64_t decoded : {-3, -2, -1, 0}) {
        const PacketPtr packet = make_packet();
        packet->pts = 0;
        packet->dts = decoded;
        times.restore(*packet);
        EXPECT_EQ(packet->pts, pts);
        EXPECT_LE(packet->dts, packet->pts) << pts << " " << duration << " " << decoded;
      }
    }
}

TEST(EncoderTimes, OfJoinedFramesEndWithTheLast) {
  const AVCodec encoder{};
  EncoderTimes times(encoder, false, true);
  const FramePtr frame = make_frame();
  for (const std::int64_t pts : {std::int64_t{0}, INT64_MAX - 5}) {
    set_times(*frame, pts, 10);
    times.keep(pts, *frame);
  }
  const PacketPtr packet = make_packet();
  packet->pts = packet->dts = 0;
  times.restore(*packet);
  EXPECT_EQ(packet->duration, INT64_MAX);
}

}  // namespace
}  // namespace vidconv::test
