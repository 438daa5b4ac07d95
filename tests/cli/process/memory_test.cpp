// Each allocation fails in turn: the failure is reported as such, ends all threads, and no file is
// lost.
#include <algorithm>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

// Runs vidconv with this call of the function, counted from 0, failing for lack of memory.
Result run_without(const std::string& function, int call, const std::string& arguments) {
  return shell("LD_PRELOAD=" VIDCONV_FAULTS
               " ASAN_OPTIONS=verify_asan_link_order=0 VIDCONV_FAULT='no memory for " +
               function + " " + std::to_string(call) + "' " + vidconv() + " " + arguments);
}

class Memory : public CliTest, public testing::WithParamInterface<const char*> {
 protected:
  Result without(const std::string& function, int call) const {
    write_file(path("out.mkv"), "precious");
    return run_without(function, call,
                       path("film.mkv") + " --kernel box --threads 1 --codec ffv1 --verify -y -o " +
                           path("out.mkv"));
  }

  void expect_told(const Result& result) const {
    EXPECT_FALSE(result.timed_out);
    // Probing of the streams goes on without it, and complains about packets that it cannot decode.
    if (result.exit_code == exit_damaged)
      EXPECT_TRUE(has_line_with(result.err, {"errors were reported"}));
    // libavformat may report a broken file instead.
    else if (result.exit_code == exit_input)
      EXPECT_TRUE(
          has_line_with(result.err, {"Cannot allocate memory; there is too little memory"}));
    else
      EXPECT_TRUE(refused(result, exit_device, {"; try fewer --", "[memory]"}));
    // Or the run was done, and only its summary found no memory.
    const bool untouched = read_file(path("out.mkv")) == "precious";
    EXPECT_TRUE(untouched || frame_times(path("out.mkv")).size() == 20);
  }
};

TEST_P(Memory, ThatIsMissingIsTold) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.8 -f lavfi -i sine=duration=0.8 "
      "-c:v ffv1 -c:a aac " +
      path("film.mkv"));
  // The first calls fail one by one, though FFmpeg can do without some; later ones at intervals,
  // until there are no more.
  int told = 0;
  for (int call = 0;; call += 1 + call / 3) {
    SCOPED_TRACE("call " + std::to_string(call));
    const Result result = without(GetParam(), call);
    if (result.exit_code != 0) {
      expect_told(result);
      ++told;
    } else {
      EXPECT_EQ(frame_times(path("out.mkv")).size(), 20U);
      EXPECT_EQ(probe(path("out.mkv"), "stream=codec_name", "a"), std::vector<std::string>{"aac"});
      if (call >= (told > 0 ? 4 : 40)) break;
    }
    EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator(path(""))), 2);
    if (HasFailure()) break;
  }
  EXPECT_GT(told, 0);
}

const char* const functions[] = {
    "aligned_alloc",
    "av_packet_alloc",
    "av_packet_ref",
    "av_frame_alloc",
    "av_frame_clone",
    "av_frame_copy_props",
    "av_buffer_pool_init2",
    "avcodec_alloc_context3",
    "avcodec_open2",
    "avcodec_send_frame",
    "avcodec_parameters_copy",
    "avcodec_parameters_from_context",
    "avformat_alloc_context",
    "avformat_new_stream",
    "avformat_write_header",
    "av_interleaved_write_frame",
    "pthread_create",
// AddressSanitizer expects its own allocator; under ThreadSanitizer a pthread_once() that was left
// by an exception, as in std::promise, never ends again.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    "new",
#endif
};
INSTANTIATE_TEST_SUITE_P(Calls, Memory, testing::ValuesIn(functions),
                         [](const auto& test) { return std::string(test.param); });

using Threads = CliTest;

// Some threads have started when no more can be. `--variant reference` is left out: OpenMP's
// library ends the process itself.
TEST_F(Threads, ThatCannotBeStartedAreTold) {
  int told = 0;
  for (int call = 0; !HasFailure(); ++call, ++told) {
    SCOPED_TRACE("call " + std::to_string(call));
    const Result result = run_without(
        "pthread_create", call, "pattern:64x48#20 --device cpu --kernel box --threads 4 -o md5:");
    if (result.exit_code == 0) break;
    EXPECT_TRUE(refused(result, exit_device, {"cannot start a thread", "--threads", "[memory]"}));
  }
  EXPECT_GT(told, 3);
}

using SmallStack = CliTest;

// The stack limit may be low for other reasons, but libraries expect a larger stack.
TEST_F(SmallStack, IsMadeLarger) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need a stack before main()";
#endif
  for (const char* limit : {"ulimit -s 64", "ulimit -S -s 64", "ulimit -s 1000"})
    for (const std::string options : {"-o md5:", "--codec libx264 --shards 2 -o "}) {
      SCOPED_TRACE(limit);
      const std::string out = options.ends_with("md5:") ? "" : path("out.mkv") + " -y";
      const Result result = shell(std::string(limit) + "; " + vidconv() +
                                  " pattern:320x180#30 --kernel gaussian:sigma=3 " + options + out);
      EXPECT_TRUE(succeeded(result)) << result.err;
    }
}

using LargeFrame = CliTest;

TEST_F(LargeFrame, ThatDoesNotFitIsTold) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "its shadow does not fit either";
#endif
  const Result result =
      shell("ulimit -v 1500000; " + vidconv() +
            " pattern:16000x16000 --kernel box --threads 1 -o " + path("out.mkv"));
  EXPECT_TRUE(refused(result, exit_device, {"bytes", "--slots", "[memory]"}));
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

}  // namespace
}  // namespace vidconv::test
