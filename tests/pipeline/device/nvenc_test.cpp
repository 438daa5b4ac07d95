// NVENC's double takes frames from the host: the file holds what went into the encoder, in order
// and time, and anything that NVENC refuses is an error that says so.
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <algorithm>
#include <sstream>

#include "pipeline/encode/encoder.h"
#include "pipeline/encode/encoder_choice.h"
#include "tests/pipeline/device/nvenc_support.h"

namespace vidconv {
namespace {

using test::expect_error;
using test::NvencTest;
using test::output_of;

class Nvenc : public NvencTest {};

#ifdef VIDCONV_CUDA_DOUBLE
// Returns YUV420P as NV12.
std::string interleave(const std::string& planar, int width, int height) {
  const std::size_t luma = static_cast<std::size_t>(width * height), chroma = luma / 4;
  std::string mixed = planar.substr(0, luma);
  for (std::size_t i = 0; i < chroma; ++i) mixed += {planar[luma + i], planar[luma + chroma + i]};
  return mixed;
}
#endif

TEST_F(Nvenc, HostFramesOfEverySizeComeBack) {
  for (const char* format : {"yuv420p", "yuv420p10le", "yuv444p", "yuv444p10le"})
    for (int width = 2; width <= 40; width += test::host_step) {
      const int height = 42 - width;
      // Cropping knows no odd numbers in 4:2:0.
      if (width % 2 != 0 && std::string(format).starts_with("yuv420p")) continue;
      const std::string input =
          "pattern:" + std::to_string(width) + "x" + std::to_string(height) + ":" + format + "#5";
      SCOPED_TRACE(input);
      filter(Device::cpu, input, dir_ / "a.mkv",
             {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
      expect_pictures_of(input, dir_ / "a.mkv");
    }
  EXPECT_GT(nvenc().from_host, 0);
  EXPECT_EQ(nvenc().from_device, 0);
}

TEST_F(Nvenc, QualityIsWhatIsAskedFor) {
  constexpr int constant_qp = 0, vbr = 1;  // NV_ENC_PARAMS_RC_*
  const auto encode = [&](SinkOptions options) {
    options.encoder.codec = "h264_nvenc";
    options.overwrite = true;
    filter(Device::cpu, "pattern:32x32#2", dir_ / "a.mkv", options);
    return nvenc().quality.load();
  };
  EXPECT_EQ(encode({}), 23);
  EXPECT_EQ(nvenc().rate_control, vbr);
  EXPECT_EQ(encode({.encoder = {.crf = "30"}}), 30);
  EXPECT_EQ(nvenc().rate_control, vbr);
  EXPECT_EQ(encode({.encoder = {.crf = "21", .preset = "p7"}}), 21);
  encode({.encoder = {.own = {{"qp", "20"}}}});
  EXPECT_EQ(nvenc().rate_control, constant_qp);
  EXPECT_EQ(encode({.encoder = {.own = {{"b", "5M"}}}}), 0);
  EXPECT_EQ(nvenc().rate_control, vbr);
  expect_error(Fault::usage, {"`crf`=0", "lossless"}, [&] { encode({.encoder = {.crf = "0"}}); });
  expect_error(Fault::usage, {"`crf`=52"}, [&] { encode({.encoder = {.crf = "52"}}); });
  expect_error(Fault::usage, {"`preset`=warp"}, [&] { encode({.encoder = {.preset = "warp"}}); });
}

// With --latency, each packet is there before the next frame goes in. Otherwise NVENC's queue is
// filled first.
TEST_F(Nvenc, KeepsNothingBackWhereLatencyIsBounded) {
  const auto most_behind = [&](bool low_delay) {
    const auto source = open_source("pattern:64x48@25#12", {});
    const OutputPlan plan =
        plan_output(dir_ / "a.mkv", {.encoder = {.codec = "h264_nvenc", .low_delay = low_delay}},
                    source->videos());
    Encoder encoder(plan.encoders.at(0), source->video(), plan.options.encoder, false, {}, {});
    int behind = 0, most = 0;
    const VideoEncoder::Receive receive = [&](AVPacket&) { --behind; };
    while (std::optional<Item> item = source->next()) {
      if (!std::holds_alternative<Frame>(*item)) continue;
      ++behind;
      encoder.write(std::move(std::get<Frame>(*item)), receive);
      most = std::max(most, behind);
    }
    encoder.finish(receive);
    EXPECT_EQ(behind, 0);
    return most;
  };
  EXPECT_EQ(most_behind(true), 0);
  EXPECT_GT(most_behind(false), 0);
}

struct Times {
  double pts, dts;
};
std::vector<Times> times_of(const std::string& file) {
  std::istringstream text(
      output_of("ffprobe -v error -select_streams v -show_entries packet=pts_time,dts_time -of "
                "csv=p=0 " +
                file + " | tr , ' '"));
  std::vector<Times> times;
  for (Times t{}; text >> t.pts >> t.dts;) times.push_back(t);
  return times;
}

// Pictures are shown later than they are coded, at rates of every kind.
TEST_F(Nvenc, OrderAndTimesAreKept) {
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:r=25:d=1 -vf \"select='not(eq(mod(n,5),2))'\" "
      "-fps_mode vfr -c:v libx264 " +
      dir_ / "uneven.mp4");
  for (const std::string& input : {std::string("pattern:32x32@25#20"),
                                   std::string("pattern:32x32@30000/1001#20"), dir_ / "uneven.mp4"})
    for (const int b_frames : {0, 1, 3}) {
      SCOPED_TRACE(input + " with " + std::to_string(b_frames) + " B frames");
      nvenc().b_frames = b_frames;
      const std::string out = dir_ / "a.mp4";
      filter(Device::cpu, input, out, {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
      expect_pictures_of(input, out);
      const auto source = open_source(input, {});
      const double tick = av_q2d(source->video().time_base);
      std::vector<double> wanted;
      for (const std::int64_t time : test::read_all(*source).times)
        wanted.push_back(static_cast<double>(time) * tick);
      std::vector<Times> times = times_of(out);
      ASSERT_EQ(times.size(), wanted.size());
      for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_LE(times[i].dts, times[i].pts);
        EXPECT_TRUE(i == 0 || times[i].dts > times[i - 1].dts);
      }
      EXPECT_GT(times[0].dts, times[0].pts - 0.3);
      EXPECT_EQ(std::ranges::is_sorted(times, {}, &Times::pts), b_frames == 0);
      std::ranges::sort(times, {}, &Times::pts);
      for (std::size_t i = 0; i < times.size(); ++i)
        EXPECT_NEAR(times[i].pts - times[0].pts, wanted[i] - wanted[0], 1e-3) << i;
    }
}

TEST_F(Nvenc, ColoursAreKept) {
  output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=32x32:d=0.2 -c:v ffv1 -pix_fmt yuv420p -vf "
      "setparams=range=pc:color_primaries=bt709:color_trc=smpte170m:colorspace=bt470bg "
      "-color_range pc -colorspace bt470bg " +
      dir_ / "in.mkv");
  filter(Device::cpu, dir_ / "in.mkv", dir_ / "a.mkv", {.encoder = {.codec = "h264_nvenc"}});
  EXPECT_EQ(output_of("ffprobe -v error -select_streams v -of csv=p=0 -show_entries "
                      "stream=color_range,color_space,color_transfer,color_primaries " +
                      dir_ / "a.mkv"),
            "pc,bt470bg,smpte170m,bt709\n");
}

// Formats that NVENC does not take are converted, and any loss is told.
TEST_F(Nvenc, OtherFormatsAreConverted) {
  std::string said;
  const auto encode = [&](const char* format) {
    said.clear();
    SinkOptions options{.encoder = {.codec = "h264_nvenc"}, .overwrite = true};
    options.notify = [&](MessageKind, const std::string& line) { said += line; };
    filter(Device::cpu, std::string("pattern:32x32:") + format + "#2", dir_ / "a.mkv", options);
    return said;
  };
  EXPECT_NE(encode("yuv422p").find("converted to"), std::string::npos) << said;
  // FFmpeg 9 hands NVENC 12 bits, of which it keeps 10.
  encode("yuv420p12le");
  EXPECT_TRUE(said.find("converted to") != said.npos ||
              said.find("12 bits a sample as 10") != said.npos)
      << said;
  EXPECT_NE(encode("yuv444p16le").find("10 bits"), std::string::npos) << said;
  EXPECT_EQ(encode("yuv444p"), "");
}

// Refusals come before the output is touched, with NVENC's reason and what to do.
TEST_F(Nvenc, RefusalsAreNamed) {
  const auto refuse = [&](const std::string& input, const char* codec,
                          const std::vector<std::string>& words) {
    test::write_file(dir_ / "a.mkv", "older");
    expect_error(Fault::output, words, [&] {
      filter(Device::cpu, input, dir_ / "a.mkv", {.encoder = {.codec = codec}, .overwrite = true});
    });
    EXPECT_EQ(test::read_file(dir_ / "a.mkv"), "older");
    EXPECT_EQ(dir_.files(), std::vector<std::string>{"a.mkv"});
  };
  constexpr int opening = 2;                 // calls before the opening
  constexpr int no_chip = 2, no_place = 10;  // NV_ENC_ERR_UNSUPPORTED_DEVICE, _OUT_OF_MEMORY
  for (const auto& [status, words] :
       {std::pair(no_chip, "unsupported device"), std::pair(no_place, "out of memory")}) {
    nvenc().calls_to_failure = opening;
    nvenc().failure = status;
    refuse("pattern:32x32#2", "h264_nvenc", {"h264_nvenc", words, "`codec` libx264"});
  }
  refuse("pattern:33x32#2", "h264_nvenc", {"h264_nvenc", "InitializeEncoder", "libx264"});
  refuse("pattern:32x32#2", "hevc_nvenc", {"hevc_nvenc", "Codec not supported", "libx265"});
  const test::TempDir other;
  test::convert("pattern:32x32#2", other / "in.mkv", {"identity"},
                {.encoder = {.codec = "libx264", .own = {{"x264-params", "tff=1"}}}});
  refuse(other / "in.mkv", "h264_nvenc", {"h264_nvenc", "Interlaced", "libx264"});
  nvenc().ten_bits = false;
  refuse("pattern:32x32:yuv420p10le#2", "h264_nvenc", {"h264_nvenc", "10 bit", "libx264"});
}

// Each call fails in turn, for two reasons.
TEST_F(Nvenc, AnyCallMayFail) { fail_at_every_call(Device::cpu); }

#ifdef VIDCONV_CUDA_DOUBLE
// Tests the double itself: libavutil's surfaces, in memory that only its driver's double reads.
TEST_F(Nvenc, DoubleReadsFramesOfTheDevice) {
  constexpr int width = 34, height = 18, count = 12;
  AVBufferRef* raw = nullptr;
  ASSERT_EQ(av_hwdevice_ctx_create(&raw, AV_HWDEVICE_TYPE_CUDA, "0", nullptr, 0), 0);
  const BufferPtr device(raw), surfaces(av_hwframe_ctx_alloc(raw));
  auto& frames = *reinterpret_cast<AVHWFramesContext*>(surfaces->data);
  frames.format = AV_PIX_FMT_CUDA;
  frames.sw_format = AV_PIX_FMT_NV12;
  frames.width = width;
  frames.height = height;
  ASSERT_EQ(av_hwframe_ctx_init(surfaces.get()), 0);

  const AVCodec* codec = avcodec_find_encoder_by_name("h264_nvenc");
  const CodecContextPtr encoder(avcodec_alloc_context3(codec));
  encoder->width = width;
  encoder->height = height;
  encoder->time_base = {1, 25};
  encoder->pix_fmt = AV_PIX_FMT_CUDA;
  encoder->hw_frames_ctx = av_buffer_ref(surfaces.get());
  nvenc().b_frames = 2;
  ASSERT_EQ(avcodec_open2(encoder.get(), codec, nullptr), 0);
  std::string stream;
  const auto receive = [&] {
    const PacketPtr packet = make_packet();
    while (avcodec_receive_packet(encoder.get(), packet.get()) == 0)
      stream.append(reinterpret_cast<const char*>(packet->data),
                    static_cast<std::size_t>(packet->size));
  };
  const auto source = open_source("pattern:34x18:nv12#12", {});
  std::vector<std::string> wanted;
  while (std::optional<Item> item = source->next()) {
    Frame& frame = std::get<Frame>(*item);
    wanted.push_back(test::packed(frame));
    const FramePtr surface = make_frame();
    ASSERT_EQ(av_hwframe_get_buffer(surfaces.get(), surface.get(), 0), 0);
    ASSERT_EQ(av_hwframe_transfer_data(surface.get(), &frame.av(), 0), 0);
    surface->pts = frame.number();
    ASSERT_EQ(avcodec_send_frame(encoder.get(), surface.get()), 0);
    receive();
  }
  ASSERT_EQ(avcodec_send_frame(encoder.get(), nullptr), 0);
  receive();
  test::write_file(dir_ / "a.h264", stream);
  const auto back = open_source(dir_ / "a.h264", {});
  std::vector<std::string> pictures = test::read_all(*back).pictures;
  for (std::string& picture : pictures) picture = interleave(picture, width, height);
  EXPECT_TRUE(pictures == wanted);
  EXPECT_EQ(nvenc().from_device, count);
  EXPECT_EQ(nvenc().from_host, 0);
}
#endif

class NvencChoice : public testing::Test {};

AVPixelFormat layout_of(const char* encoder, const char* format) {
  return device_layout(*avcodec_find_encoder_by_name(encoder),
                       *find_format(av_get_pix_fmt(format)));
}

TEST_F(NvencChoice, LayoutsOfTheDeviceKeepEveryBit) {
  if (!avcodec_find_encoder_by_name("h264_nvenc")) GTEST_SKIP() << "FFmpeg without NVENC";
  EXPECT_EQ(layout_of("h264_nvenc", "yuv420p"), AV_PIX_FMT_NV12);
  EXPECT_EQ(layout_of("h264_nvenc", "nv12"), AV_PIX_FMT_NV12);
  EXPECT_EQ(layout_of("hevc_nvenc", "yuv420p10le"), AV_PIX_FMT_P010);
  EXPECT_EQ(layout_of("hevc_nvenc", "p010le"), AV_PIX_FMT_P010);
  EXPECT_EQ(layout_of("hevc_nvenc", "nv21"), AV_PIX_FMT_NV12);
  EXPECT_EQ(layout_of("hevc_nvenc", "yuv444p"), AV_PIX_FMT_YUV444P);
  EXPECT_EQ(layout_of("hevc_nvenc", "nv24"), AV_PIX_FMT_YUV444P);
  EXPECT_EQ(layout_of("hevc_nvenc", "yuv444p10le"), AV_PIX_FMT_YUV444P16);
  for (const char* format : {"yuv422p", "yuv420p9le", "yuv420p12le", "yuv444p12le", "yuv444p16le",
                             "yuva420p", "gbrp", "rgba", "gray", "gray10le", "yuv410p"})
    EXPECT_EQ(layout_of("hevc_nvenc", format), AV_PIX_FMT_NONE) << format;
  for (const char* encoder : {"libx264", "mpeg4", "ffv1"})
    EXPECT_EQ(layout_of(encoder, "yuv420p"), AV_PIX_FMT_NONE) << encoder;
}

TEST_F(NvencChoice, OutputsThatTakeFramesOfTheDevice) {
  if (!avcodec_find_encoder_by_name("h264_nvenc")) GTEST_SKIP() << "FFmpeg without NVENC";
  const auto source = open_source("pattern:32x32#2", {}),
             rgb = open_source("pattern:32x32:gbrp#2", {});
  const auto takes = [&](const std::string& output, const SinkOptions& options,
                         const Source& from) {
    return plan_output(output, options, from.videos()).takes_device_frames;
  };
  EXPECT_TRUE(takes("a.mkv", {.encoder = {.codec = "h264_nvenc"}}, *source));
  EXPECT_TRUE(takes("-", {.format = "nut", .encoder = {.codec = "hevc_nvenc"}}, *source));
  EXPECT_FALSE(takes("a.mkv", {.encoder = {.codec = "h264_nvenc"}}, *rgb));
  EXPECT_FALSE(takes("a.mkv", {.encoder = {.codec = "libx264"}}, *source));
  EXPECT_FALSE(
      takes("a.mkv", {.encoder = {.codec = "h264_nvenc", .own = {{"gpu", "1"}}}}, *source));
  for (const char* output : {"a.mkv", "-", "null:", "md5:", "a.yuv", "a%03d.png"})
    EXPECT_FALSE(takes(output, {}, *source)) << output;
}

// NVENC has to be named: most machines have no such chip.
TEST_F(NvencChoice, IsNeverTakenUnasked) {
  const auto source = open_source("pattern:32x32#2", {});
  for (const AVCodecID id : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1}) {
    const AVCodec* codec = usual_encoder(id, source->video());
    EXPECT_FALSE(codec && takes_cuda_frames(*codec)) << codec->name;
  }
}

}  // namespace
}  // namespace vidconv
