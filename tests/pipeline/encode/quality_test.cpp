// No encoder is left with FFmpeg's own default, 200 kbit a second, with which few pictures can be
// looked at.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string_view>
#include <tuple>
#include <utility>

extern "C" {
#include <libavutil/opt.h>
}

#include "pipeline/av/container.h"
#include "pipeline/encode/encoder_table.h"
#include "pipeline/platform/thread_priority.h"
#include "tests/pipeline/support/support.h"
#include "tests/support/thinning.h"

namespace vidconv {
namespace {

using test::convert;
using test::is_taken;
using test::output_of;
using test::TempDir;
using test::thinned;

constexpr int width = 176, height = 144, coded_frames = 4;

// Returns an option that speeds up an encoder which else takes most of a minute; it heeds a rate
// all the same.
std::pair<std::string, std::string> fast_option(const AVCodec& codec) {
  for (const auto& [encoder, key, value] :
       {std::tuple{"librav1e", "speed", "10"}, {"libaom-av1", "cpu-used", "8"}})
    if (codec.name == std::string_view(encoder)) return {key, value};
  return {};
}

// Returns the bytes that the encoder itself makes of noise at a bit rate; 0 if it cannot.
std::size_t bytes_at(const AVCodec& codec, int rate) {
  const CodecContextPtr context(avcodec_alloc_context3(&codec));
  const std::vector<AVPixelFormat> formats = supported_formats(codec);
  context->width = width;
  context->height = height;
  context->pix_fmt = formats.empty() ? AV_PIX_FMT_YUV420P : formats[0];
  context->time_base = {1, 25};
  context->framerate = {25, 1};
  context->thread_count = 1;
  context->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  context->bit_rate = rate;
  if (const auto [key, value] = fast_option(codec); !key.empty())
    av_opt_set(context.get(), key.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
  const ThreadPriority scheduling(codec);  // or all that follows would leave nobody else a CPU
  if (avcodec_open2(context.get(), &codec, nullptr) < 0) return 0;
  std::mt19937 random(1);
  std::size_t bytes = 0;
  const PacketPtr packet = make_packet();
  for (int i = 0; i <= coded_frames; ++i) {
    FramePtr frame = make_frame();
    frame->width = width;
    frame->height = height;
    frame->format = context->pix_fmt;
    frame->pts = i;
    if (i < coded_frames && av_frame_get_buffer(frame.get(), 0) < 0) return 0;
    for (const AVBufferRef* buffer : frame->buf)
      if (buffer)
        std::generate_n(buffer->data, buffer->size, [&] { return static_cast<uint8_t>(random()); });
    if (avcodec_send_frame(context.get(), i < coded_frames ? frame.get() : nullptr) < 0) return 0;
    while (avcodec_receive_packet(context.get(), packet.get()) >= 0) {
      bytes += static_cast<std::size_t>(packet->size);
      av_packet_unref(packet.get());
    }
  }
  return bytes;
}

TEST(Quality, IsNever200KilobitsASecond) {
  const TempDir dir;
  const std::string in = dir / "noise.mkv";
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=size=176x144:rate=25 -vf noise=alls=40:allf=t "
      "-frames:v 20 -c:v ffv1 " +
      in);
  int heeding = 0;
  std::size_t turn = 0;
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state)) {
    if (codec->type != AVMEDIA_TYPE_VIDEO || !av_codec_is_encoder(codec) ||
        (codec->capabilities & AV_CODEC_CAP_HARDWARE) || !is_taken(turn++, 3))
      continue;
    const std::size_t low = bytes_at(*codec, 200'000);
    if (low == 0 || low == bytes_at(*codec, 2'000'000)) continue;
    const EncoderDefaults known = defaults_of(*codec);
    const bool told = known.quality.option || goes_by_rate(*codec);
    if (codec->id == AV_CODEC_ID_DIRAC) continue;  // VC-2's own default is far above
    EXPECT_TRUE(told && known.has_bitrate) << codec->name;
    for (const char* name : {"nut", "rm"}) {
      if (!can_hold_video(*av_guess_format(name, nullptr, nullptr), codec->id)) continue;
      const auto size = [&](SinkOptions options) {
        options.encoder.codec = codec->name;
        options.format = name;
        options.overwrite = true;
        if (const auto fast = fast_option(*codec); !fast.first.empty())
          options.encoder.own.push_back(fast);
        convert(in, dir / "out", {"identity"}, options);
        return std::filesystem::file_size(dir / "out");
      };
      EXPECT_GT(size({}), size({.encoder = {.own = {{"b", "200k"}}}})) << codec->name;
      ++heeding;
      break;
    }
  }
  if (!thinned()) {
    EXPECT_GE(heeding, 10);
  }
}

}  // namespace
}  // namespace vidconv
