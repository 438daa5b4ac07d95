// NVENC's double takes frames that never leave the device: samples, order and times are those of
// the CPU's way, and memory does not grow, whatever fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "pipeline/device/cuda_objects.h"
#include "pipeline/device/nvenc.h"
#include "pipeline/encode/encoder_choice.h"
#include "tests/pipeline/device/nvenc_support.h"

namespace vidconv {
namespace {

using test::NvencTest;

class NvencCuda : public NvencTest {
 protected:
  void TearDown() override {
    fail_cuda_after(0, cudaSuccess);
    NvencTest::TearDown();
  }
};

// Transport streams repeat the headers: for others the double knows of 10 bits too late.
TEST_F(NvencCuda, FramesOfEverySizeComeBack) {
  for (const char* format : {"yuv420p", "nv12", "yuv420p10le", "yuv444p", "yuv444p10le"})
    for (int width = 1; width <= 40; ++width) {
      const int height = 42 - width;
      if (width % 2 != 0 && !std::string(format).starts_with("yuv444p")) continue;
      const std::string input =
          "pattern:" + std::to_string(width) + "x" + std::to_string(height) + ":" + format + "#6";
      SCOPED_TRACE(input);
      filter(Device::cuda, input, dir_ / "a.ts",
             {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
      const std::string same =
          std::string(format) == "nv12"
              ? "pattern:" + std::to_string(width) + "x" + std::to_string(height) + ":yuv420p#6"
              : input;
      expect_pictures_of(same, dir_ / "a.ts");
    }
  EXPECT_GT(nvenc().from_device, 0);
  EXPECT_EQ(nvenc().from_host, 0);
}

// A frame that came back before NVENC had read it would show: the double reads as late as it may.
TEST_F(NvencCuda, FramesStayAsTheyAreWhileNvencHoldsThem) {
  for (const int b_frames : {0, 1, 3})
    for (const auto how : {&run, &run_serial}) {
      nvenc().b_frames = b_frames;
      const std::string input = "pattern:640x360@30000/1001#90";
      filter(Device::cuda, input, dir_ / "a.mkv",
             {.encoder = {.codec = "h264_nvenc", .own = {{"surfaces", "24"}}}, .overwrite = true},
             {"gaussian:sigma=2", "sobel"}, {}, *how);
      expect_pictures_of(input, dir_ / "a.mkv", {"gaussian:sigma=2", "sobel"});
    }
}

TEST_F(NvencCuda, FramesOfNvdecComeBack) {
  const std::string in = dir_ / "in.mkv";
  test::convert("pattern:320x240#60", in, {"identity"},
                {.encoder = {.codec = "libx264", .own = {{"g", "12"}, {"bf", "3"}}}});
  nvenc().b_frames = 2;
  int fallbacks = 0;
  SourceOptions options{.nvdec = NvdecOptions{.devices = {0}, .sessions = 2}};
  options.notify = [&](MessageKind kind, const std::string&) {
    fallbacks += kind == MessageKind::fallback;
  };
  filter(Device::cuda, in, dir_ / "a.mkv", {.encoder = {.codec = "h264_nvenc"}}, {"sobel"},
         options);
  EXPECT_EQ(fallbacks, 0);
  expect_pictures_of(in, dir_ / "a.mkv");
  EXPECT_EQ(nvenc().from_device, 60);
}

// Writes videos of 64x48 and 32x32 into one file, uncompressed.
void write_two_videos(const std::string& path) {
  AVFormatContext* raw = nullptr;
  ASSERT_GE(avformat_alloc_output_context2(&raw, nullptr, "nut", path.c_str()), 0);
  const OutputPtr file(raw);
  std::vector<std::unique_ptr<Source>> sources;
  for (const char* input : {"pattern:64x48#25", "pattern:32x32#25"}) {
    sources.push_back(open_source(input, {}));
    AVStream& stream = *avformat_new_stream(file.get(), nullptr);
    stream.time_base = sources.back()->video().time_base;
    AVCodecParameters& p = *stream.codecpar;
    p.codec_type = AVMEDIA_TYPE_VIDEO;
    p.codec_id = AV_CODEC_ID_RAWVIDEO;
    p.format = AV_PIX_FMT_YUV420P;
    p.codec_tag = MKTAG('I', '4', '2', '0');
    p.width = sources.back()->video().width;
    p.height = sources.back()->video().height;
  }
  ASSERT_GE(avio_open(&file->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(file.get(), nullptr), 0);
  for (int n = 0; n < 25; ++n)
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Frame frame = std::get<Frame>(*sources[i]->next());
      const std::string bytes = test::packed(frame);
      const PacketPtr packet = make_packet();
      ASSERT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
      std::ranges::copy(bytes, packet->data);
      packet->stream_index = static_cast<int>(i);
      packet->pts = packet->dts = frame.av().pts;
      packet->flags = AV_PKT_FLAG_KEY;
      av_packet_rescale_ts(packet.get(), sources[i]->video().time_base,
                           file->streams[i]->time_base);
      ASSERT_GE(av_interleaved_write_frame(file.get(), packet.get()), 0);
    }
  ASSERT_GE(av_write_trailer(file.get()), 0);
  avio_closep(&file->pb);
}

TEST_F(NvencCuda, SeveralVideosHaveAnEncoderEach) {
  const std::string in = dir_ / "in.nut";
  write_two_videos(in);
  const auto source = open_source(in, {.video = std::nullopt});
  SinkOptions options{.encoder = {.codec = "h264_nvenc", .device = 0}};
  const auto sink = open_sink(dir_ / "a.mkv", options, source->info());
  std::vector<std::unique_ptr<Processor>> all;
  const std::vector<FilterSpec> chain{FilterSpec::parse("sobel")};
  for (const auto& [stream, video] : source->videos())
    all.push_back(make_processor(make_work(chain, *video.format, {}, {}), video.width, video.height,
                                 {.device = Device::cuda, .stay_on_device = true, .variant = {}}));
  const auto processor = join_processors(std::move(all));
  run(*source, *processor, *sink);
  for (const int video : {1, 2}) {
    const auto original = open_source(in, {.video = video});
    const auto cpu = test::processor_for(*original, {"sobel"});
    test::MemorySink wanted;
    run(*original, *cpu, wanted);
    EXPECT_TRUE(test::read_all(dir_ / "a.mkv", {.video = video}).pictures == wanted.pictures);
  }
}

// Neither the pool of filtered frames nor NVENC's surfaces grow.
TEST_F(NvencCuda, MemoryDoesNotGrowWithTheVideo) {
  const auto cost = [&](int frames) {
    nvenc().registrations = 0;
    nvenc().b_frames = 1;
    const std::int64_t before = cuda_allocations();
    const RunResult result =
        filter(Device::cuda, "pattern:64x48#" + std::to_string(frames), dir_ / "a.mkv",
               {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
    EXPECT_GT(result.memory.device, 0u);
    return std::pair(cuda_allocations() - before, nvenc().registrations.load());
  };
  const auto [allocations, surfaces] = cost(60);
  EXPECT_GT(surfaces, 3);
  EXPECT_LT(surfaces, 16);
  const auto [more_allocations, more_surfaces] = cost(600);
  EXPECT_LE(more_allocations, allocations + 4);  // how many frames wait at once is chance
  EXPECT_LE(more_surfaces, surfaces + 2);
}

TEST_F(NvencCuda, ThereIsNoStageThatDownloads) {
  Trace trace(dir_ / "trace.json");
  const auto source = open_source("pattern:64x48#20", test::source_options_for(Device::cuda));
  const auto sink =
      open_sink(dir_ / "a.mkv", {.encoder = {.codec = "h264_nvenc", .device = 0}}, source->info());
  const auto processor = test::processor_for(
      *source, {"sobel"},
      {.device = Device::cuda, .stay_on_device = true, .variant = {}, .trace = &trace});
  const RunResult result = run(*source, *processor, *sink, {.trace = &trace});
  trace.finish();
  std::set<std::string> stages;
  for (const StageTime& stage : result.stages) stages.insert(stage.name);
  EXPECT_EQ(stages, (std::set<std::string>{"decode", "upload", "convolve", "encode"}));
  EXPECT_EQ(test::read_file(dir_ / "trace.json").find("download"), std::string::npos);
  EXPECT_NE(test::read_file(dir_ / "trace.json").find("convolve"), std::string::npos);
  EXPECT_NE(sink->description().find("nv12 on the device"), std::string::npos);
  const Frame sample = std::get<Frame>(*open_source("pattern:64x48#1", {})->next());
  for (const StageRate& rate : processor->measure_stages(sample, 0.01))
    EXPECT_NE(rate.name, "download");
  EXPECT_TRUE(processor->measure_bus(sample, 0.01).empty());
}

TEST_F(NvencCuda, AnyCallOfNvencMayFail) { fail_at_every_call(Device::cuda); }

TEST_F(NvencCuda, AnyCallOfCudaMayFail) {
  const std::string input = "pattern:64x48#12", output = dir_ / "a.mkv";
  int failures = 0;
  for (int call = 0;; ++call) {
    SCOPED_TRACE(call);
    test::write_file(output, "older");
    fail_cuda_after(call, cudaErrorLaunchFailure);
    bool failed = false;
    try {
      filter(Device::cuda, input, output, {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
    } catch (const Error& error) {
      failed = true;
      EXPECT_EQ(error.fault(), Fault::device) << error.message();
      EXPECT_EQ(test::read_file(output), "older");
      ++failures;
    }
    fail_cuda_after(0, cudaSuccess);
    if (failed) continue;
    expect_pictures_of(input, output);
    break;
  }
  EXPECT_GT(failures, 50);
}

// A host frame is a mistake of ours.
TEST_F(NvencCuda, HostFramesAreRefusedWhereTheDevicesAreAnnounced) {
  const auto source = open_source("pattern:32x32#2", {});
  const auto sink =
      open_sink(dir_ / "a.mkv", {.encoder = {.codec = "h264_nvenc", .device = 0}}, source->info());
  test::expect_error(Fault::internal, {"yuv420p"},
                     [&] { sink->write(std::get<Frame>(*source->next())); });
}

// For every format that has a layout, without an encoder, the surface holds the frame's samples, in
// the upper bits of 16.
TEST(NvencCudaLayout, SurfacesHoldEverySample) {
  if (!test::has(Device::cuda)) GTEST_SKIP() << "no CUDA device";
  const AVCodec* encoder = avcodec_find_encoder_by_name("hevc_nvenc");
  if (!encoder) GTEST_SKIP() << "FFmpeg without NVENC";
  int layouts = 0;
  for (const PixelFormat& format : formats()) {
    const AVPixelFormat id = device_layout(*encoder, format);
    if (id == AV_PIX_FMT_NONE) continue;
    ++layouts;
    for (int width = 1; width <= 40; ++width) {
      const int height = 41 - width;
      SCOPED_TRACE(format.name + " " + std::to_string(width) + "x" + std::to_string(height));
      const auto source = open_source("pattern:" + std::to_string(width) + "x" +
                                          std::to_string(height) + ":" + format.name + "#1",
                                      test::source_options_for(Device::cuda));
      const auto processor = test::processor_for(
          *source, {"identity"}, {.device = Device::cuda, .stay_on_device = true, .variant = {}});
      Frame original = std::get<Frame>(*source->next());
      processor->submit(original.share());
      const Frame there = *processor->collect();
      NvencPictures pictures(0, format, id, width, height);
      const FramePtr surface = pictures.take(there);
      EXPECT_EQ(surface->pts, original.av().pts);
      FramePtr back = make_frame();
      back->format = id;
      back->width = width;
      back->height = height;
      ASSERT_EQ(av_frame_get_buffer(back.get(), 0), 0);
      const PixelFormat& layout = *find_format(id);
      for (int p = 0; p < layout.planes; ++p)
        ASSERT_EQ(cudaMemcpy2D(
                      back->data[p], static_cast<std::size_t>(back->linesize[p]), surface->data[p],
                      static_cast<std::size_t>(surface->linesize[p]), layout.row_bytes(p, width),
                      static_cast<std::size_t>(layout.rows(p, height)), cudaMemcpyDeviceToHost),
                  cudaSuccess);
      const Frame result(std::move(back), 0);
      for (std::size_t c = 0; c < format.components.size(); ++c) {
        const ConstBytePlane a = std::as_const(original).component(c), b = result.component(c);
        const SampleType& sample = format.components[c].sample;
        const bool wide = sample.bytes() == 2;
        int wrong = 0;
        for (int y = 0; y < a.height; ++y)
          for (int x = 0; x < a.width; ++x) {
            const int from = wide ? a.as<const std::uint16_t>().row(y)[x * a.step] >> sample.shift
                                  : a.as<const std::uint8_t>().row(y)[x * a.step];
            const int to = wide ? b.as<const std::uint16_t>().row(y)[x * b.step]
                                : b.as<const std::uint8_t>().row(y)[x * b.step];
            wrong += to != (wide ? from << (16 - sample.depth) : from);
          }
        EXPECT_EQ(wrong, 0) << "component " << c;
      }
    }
  }
  EXPECT_GE(layouts, 10);  // 4:2:0 and 4:4:4 of 8 and 10 bits, in all orders of their components
}

}  // namespace
}  // namespace vidconv
