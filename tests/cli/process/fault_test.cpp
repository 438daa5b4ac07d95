// After interruptions and on full disks an old output survives, and nothing hangs.
#include <signal.h>

#include <algorithm>
#include <random>
#include <thread>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds watchdog(60);

class Fault : public CliTest {
 protected:
  std::vector<std::string> partials() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      if (entry.path().extension() == ".part") names.push_back(entry.path());
    return names;
  }
};

class Signal : public Fault, public testing::WithParamInterface<int> {};

TEST_P(Signal, AtRandomMoments) {
  const int number = GetParam();
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::minstd_rand chance(seed);
  const std::string out = path("out.mkv");
  for (int i = 0; i < 10; ++i) {
    write_file(out, "precious");
    Process process(command({"pattern:128x72#1000000", "-o", out, "-y", "--kernel", "box"}));
    std::this_thread::sleep_for(milliseconds(chance() % 300));
    process.signal(number);
    const Result result = process.wait(watchdog);
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, 128 + number) << result.err;
    const bool finished = has_line_with(result.err, {"interrupted:"});
    if (finished) {
      EXPECT_TRUE(succeeded(shell("ffmpeg -v error -xerror -i " + out + " -f null -")));
    } else {
      EXPECT_EQ(read_file(out), "precious");
    }
    EXPECT_TRUE(partials().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Signal, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& test) {
                           return std::string(test.param == SIGINT   ? "Interrupt"
                                              : test.param == SIGHUP ? "HangUp"
                                                                     : "Terminate");
                         });

// Before the first frame an interruption leaves no output, an older file is unchanged, and a
// message says so.
TEST_P(Signal, BeforeTheFirstFrame) {
  for (const std::string name : {"out.mkv", "out.y4m", "%d.png"})
    for (const std::string start : {"", "YUV4MPEG2 W64 H48 F25:1 C420jpeg\\n"}) {
      SCOPED_TRACE(name + " " + start);
      for (const char* old : {"out.mkv", "out.y4m"}) write_file(path(old), "precious");
      // The warning about the kernel comes before anything is read.
      Process process({"bash", "-c",
                       "exec " + vidconv() + " - -y --kernel 'matrix:1 1;1 1' -o " + path(name) +
                           " < <(printf '" + start + "'; exec sleep 60 2> /dev/null)"});
      EXPECT_TRUE(process.wait_for_stderr("[gain]", std::chrono::seconds(60)));
      std::this_thread::sleep_for(milliseconds(200));
      process.signal(GetParam());
      const Result result = process.wait(watchdog);
      EXPECT_EQ(result.exit_code, 128 + GetParam());
      EXPECT_TRUE(has_line_with(result.err, {"before the first frame", "[interrupted]"}))
          << result.err;
      std::size_t files = 0;
      for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
        EXPECT_EQ(read_file(entry.path()), "precious") << entry.path();
        ++files;
      }
      EXPECT_EQ(files, 2U);
    }
}

// Unfinished files are removed, also those that have names because O_TMPFILE fails.
TEST_P(Signal, SecondEndsAtOnceAndLeavesNothing) {
  for (const std::string list : {"", "O_TMPFILE=95"}) {
    Process process({"bash", "-c",
                     "LD_PRELOAD=" VIDCONV_FAULTS " VIDCONV_REFUSED=" + list + " exec " +
                         vidconv() +
                         " pattern:640x360 --kernel gaussian:sigma=12 --variant reference "
                         "--progress plain --device cpu -o " +
                         path("out.mkv") + " --stats " + path("s.json")});
    EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(100)));
    process.signal(GetParam());
    std::this_thread::sleep_for(milliseconds(200));
    process.signal(SIGTERM);
    const Result result = process.wait(watchdog);
    EXPECT_EQ(result.exit_code, 128 + SIGTERM) << result.err;
    EXPECT_TRUE(std::filesystem::is_empty(path("")));
  }
}

TEST_F(Fault, HangUpStaysIgnored) {
  Process process({"bash", "-c",
                   "trap '' HUP; exec " + vidconv() +
                       " pattern:64x48#1000000 --kernel box --progress plain -o " +
                       path("out.mkv")});
  EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
  process.signal(SIGHUP);
  std::this_thread::sleep_for(milliseconds(300));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(watchdog).exit_code, exit_interrupted);
}

// Exit code 130 must not promise an output that could not be finished.
TEST_F(Fault, FailureAfterASignalIsAFailure) {
  Process process({"bash", "-c",
                   "LD_PRELOAD=" VIDCONV_FAULTS " VIDCONV_REFUSED=fsync=28 exec " + vidconv() +
                       " pattern:64x48#1000000 --kernel box --progress plain -o " +
                       path("out.mkv")});
  EXPECT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_TRUE(refused(process.wait(watchdog), exit_output, {"No space left on device"}));
  EXPECT_TRUE(std::filesystem::is_empty(path("")));
}

// The shell's limit on file sizes stands for a disk that fills in the middle of a file.
TEST_F(Fault, DiskThatFills) {
  for (const std::string name : {"out.mkv", "out.mp4", "out.y4m", "out.yuv"}) {
    SCOPED_TRACE(name);
    write_file(path(name), "precious");
    const Result result =
        shell("ulimit -f 100; " + vidconv() + " pattern:320x180#200 -y --kernel box" +
              (name == "out.mkv" || name == "out.mp4" ? " --crf 1" : "") + " -o " + path(name));
    EXPECT_TRUE(refused(result, exit_output, {"File too large"}));
    EXPECT_EQ(read_file(path(name)), "precious");
    EXPECT_TRUE(partials().empty());
  }
}

TEST_F(Fault, StrictRefusesLossAndDamage) {
  ffmpeg("-i " + clip() + " -c copy -f matroska " + path("whole.mkv"));
  const std::string whole = read_file(path("whole.mkv"));
  write_file(path("cut.mkv"), whole.substr(0, whole.size() * 2 / 3));
  write_file(path("out.mkv"), "precious");
  EXPECT_EQ(
      run_vidconv({path("cut.mkv"), "-o", path("out.mkv"), "-y", "--kernel", "box", "--strict"})
          .exit_code,
      7);
  EXPECT_EQ(read_file(path("out.mkv")), "precious");
  EXPECT_TRUE(refused(run_vidconv({clip(), "-o", path("out.y4m"), "--kernel", "box", "--strict"}),
                      exit_output, {"--strict", "other streams"}));
  EXPECT_FALSE(std::filesystem::exists(path("out.y4m")));
}

TEST_F(Fault, SilentInputIsGivenUp) {
  const Result result =
      shell("set +o pipefail; sleep 3 | " + vidconv() + " - -o null: --kernel box --timeout 0.5");
  EXPECT_TRUE(refused(result, exit_input, {"nothing came for 0.5 s", "--timeout"}));
}

// The server answers and then falls silent, or does not even answer.
TEST_F(Fault, ServerThatStallsIsGivenUp) {
  const std::string film = make_clip("film.mkv", "-c:v ffv1");
  const auto half = std::filesystem::file_size(film) / 2;
  for (const std::string& bytes : {std::to_string(half), std::string("0")}) {
    SCOPED_TRACE(bytes + " bytes");
    const std::string port = path("port" + bytes);
    write_file(path("out.mkv"), "precious");
    const Result result =
        shell("python3 " VIDCONV_SOURCE_DIR "/tests/cli/support/stalling_server.py " + film + " " +
              bytes + " " + port + " & while [[ ! -s " + port +
              " ]]; do sleep 0.05; kill -0 $! || exit 99; done; " + vidconv() +
              " http://127.0.0.1:$(cat " + port + ")/film.mkv -o " + path("out.mkv") +
              " -y --kernel box --timeout 1; code=$?; wait; exit $code");
    EXPECT_TRUE(refused(result, exit_input, {"nothing came for 1 s", "[input-silent]"}));
    EXPECT_EQ(read_file(path("out.mkv")), "precious");
    EXPECT_TRUE(partials().empty());
  }
}

}  // namespace
}  // namespace vidconv::test
