#include "tests/pipeline/device/nvenc_support.h"

#include <dlfcn.h>

#include <cstdlib>

namespace vidconv::test {
namespace {

// Returns where the doubles lie: VIDCONV_TEST_DOUBLES, or where they were built.
std::string double_path(const char* name) {
  const char* elsewhere = std::getenv("VIDCONV_TEST_DOUBLES");
  return std::string(elsewhere ? elsewhere : VIDCONV_DOUBLES) + "/" + name;
}

NvencDouble* load_double() {
  const std::string path = double_path("libnvidia-encode.so.1");
  void* library = dlopen(path.c_str(), RTLD_NOW);
  if (!library) return nullptr;
  using Get = NvencDouble*();
  return reinterpret_cast<Get*>(dlsym(library, "nvenc_double"))();
}

// Shows one device only: with several, libavcodec tries the next when one refuses.
bool load_driver() {
  setenv("CUDA_VISIBLE_DEVICES", "0", 0);
#ifdef VIDCONV_CUDA_DOUBLE
  return dlopen(double_path("libcuda.so.1").c_str(), RTLD_NOW);
#else
  return dlopen("libcuda.so.1", RTLD_NOW) && has(Device::cuda);
#endif
}

}  // namespace

void NvencTest::SetUp() {
  if (!avcodec_find_encoder_by_name("h264_nvenc")) GTEST_SKIP() << "FFmpeg without NVENC";
  static const bool has_driver = load_driver();
  if (!has_driver) GTEST_SKIP() << "no CUDA device";
  static NvencDouble* const loaded = load_double();
  ASSERT_NE(loaded, nullptr) << dlerror();
  double_ = loaded;
  nvenc().calls_to_failure = -1;
  nvenc().b_frames = 0;
  nvenc().ten_bits = true;
  nvenc().calls = nvenc().from_host = nvenc().from_device = 0;
  nvenc().registrations = nvenc().most_surfaces = 0;
}

void NvencTest::TearDown() {
  if (!double_) return;
  EXPECT_EQ(nvenc().sessions, 0);
  EXPECT_EQ(nvenc().surfaces, 0);
}

RunResult NvencTest::filter(Device device, const std::string& input, const std::string& output,
                            SinkOptions options, const std::vector<std::string>& chain,
                            SourceOptions source_options, decltype(&run) how) {
  source_options.memory = source_options_for(device).memory;
  const auto source = open_source(input, source_options);
  const bool stay = device == Device::cuda;
  if (stay) {
    EXPECT_TRUE(plan_output(output, options, source->videos()).takes_device_frames);
    options.encoder.device = 0;
  }
  const auto sink = open_sink(output, options, source->info());
  const auto processor =
      processor_for(*source, chain, {.device = device, .stay_on_device = stay, .variant = {}});
  return how(*source, *processor, *sink, {});
}

void NvencTest::expect_pictures_of(const std::string& input, const std::string& output,
                                   const std::vector<std::string>& chain) {
  const auto source = open_source(input, {});
  const auto processor = processor_for(*source, chain);
  MemorySink wanted;
  run(*source, *processor, wanted);
  const Contents contents = read_all(output);
  EXPECT_FALSE(contents.damage.any()) << contents.damage.first_error;
  ASSERT_EQ(contents.pictures.size(), wanted.pictures.size());
  for (std::size_t i = 0; i < wanted.pictures.size(); ++i)
    EXPECT_TRUE(contents.pictures[i] == wanted.pictures[i]) << "picture " << i;
}

void NvencTest::fail_at_every_call(Device device) {
  constexpr int out_of_memory = 10, generic = 20;  // NV_ENC_ERR_*
  const std::string input = "pattern:32x32#8", output = dir_ / "a.mkv";
  for (const int status : {out_of_memory, generic}) {
    const int step = device == Device::cpu ? host_step : 1;
    int failures = 0, with_frame = 0;
    for (int call = 0;; call += step) {
      SCOPED_TRACE(call);
      nvenc().b_frames = 1;
      nvenc().failure = status;
      nvenc().calls_to_failure = call;
      write_file(output, "older");
      bool failed = false;
      try {
        filter(device, input, output, {.encoder = {.codec = "h264_nvenc"}, .overwrite = true});
      } catch (const Error& error) {
        failed = true;
        EXPECT_TRUE(error.fault() == Fault::output || error.fault() == Fault::device)
            << error.message();
        EXPECT_NE(error.message().find("h264_nvenc"), std::string::npos) << error.message();
        EXPECT_EQ(read_file(output), "older");
        EXPECT_EQ(dir_.files(), std::vector<std::string>{"a.mkv"});
        ++failures;
        with_frame += error.frame().has_value();
      }
      if (!failed) expect_pictures_of(input, output);
      if (nvenc().calls_to_failure >= 0) break;  // it was never the turn of that call
    }
    nvenc().calls_to_failure = -1;
    EXPECT_GT(failures, 40 / step);
    EXPECT_GT(with_frame, 10 / step);
  }
}

}  // namespace vidconv::test
