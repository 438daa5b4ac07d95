// With pipes that stall or trickle, nothing hangs and nothing is lost. The harness kills a program
// after two minutes, which is how a hang shows.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using std::chrono::milliseconds;

// A pipe without a reader that has room for a header only, or for nothing.
class FullPipe {
 public:
  explicit FullPipe(std::string path, bool room = true) : path_(std::move(path)) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    end_ = open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(end_, 0);
    fcntl(end_, F_SETPIPE_SZ, 1 << 20);  // the size that vidconv sets
    std::string page(4096, 'x');
    while (write(end_, page.data(), page.size()) > 0) {
    }
    if (room) {
      EXPECT_GT(read(end_, page.data(), page.size()), 0);
    }
  }
  ~FullPipe() {
    close(end_);
    unlink(path_.c_str());
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

 private:
  const std::string path_;
  int end_;
};

class Stall : public CliTest {
 protected:
  // Returns the line of a vidconv that writes to the pipe.
  std::string into_full_pipe(const std::string& arguments) const {
    return "exec " + vidconv() + " " + arguments + " > " + path("fifo");
  }

  // Expects that a second signal ends a vidconv that writes to the pipe.
  void expect_second_signal_ends(int number, const std::string& output) const {
    SCOPED_TRACE(output);
    Process process(
        {"bash", "-c", into_full_pipe("pattern:64x48 --kernel box --device auto -o " + output)});
    EXPECT_TRUE(process.wait_for_stderr("convolving", std::chrono::seconds(60)));
    EXPECT_TRUE(process.wait_until_it_waits(std::chrono::seconds(60)));
    process.signal(number);
    // Two pending signals of one number merge into one; a second after the first, writes no longer
    // wait.
    std::this_thread::sleep_for(milliseconds(100));
    process.signal(number);
    const Result result = process.wait();
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, 128 + number);
  }
};

// A failure of one stage ends a blocked write in another.
// (B frames would have times before 0 in MPEG-TS, which --strict may find first.)
TEST_F(Stall, FailureEndsAWriteThatWaits) {
  write_file(path("in.raw"), std::string(200 * 32 * 32 * 3 / 2 + 1, 'x'));
  for (const std::string output :
       {"- --format y4m", "- --format raw", "md5:", "- --format mpegts --encoder-opt bf=0",
        "- --format nut --codec rawvideo"}) {
    SCOPED_TRACE(output);
    const FullPipe pipe(path("fifo"));
    const Result result = shell(into_full_pipe(
        path("in.raw") + " --raw 32x32:yuv420p --slots 256 --strict --kernel box -o " + output));
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, exit_damaged) << result.err;
  }
}

// One signal is enough if nobody reads on, though the output is incomplete then. Whether a
// container's first frame counts while it is being written depends on timing.
TEST_F(Stall, SignalEndsAWriteThatWaits) {
  const std::pair<std::string, std::vector<int>> outputs[] = {
      {"-", {exit_interrupted}},
      {"md5:", {exit_output}},
      {"- --format nut", {exit_output, exit_interrupted}}};
  for (const auto& [output, codes] : outputs) {
    SCOPED_TRACE(output);
    const FullPipe pipe(path("fifo"));
    Process process(
        {"bash", "-c", into_full_pipe("pattern:64x48 --kernel box --device auto -o " + output)});
    EXPECT_TRUE(process.wait_for_stderr("convolving", std::chrono::seconds(60)));
    EXPECT_TRUE(process.wait_until_it_waits(std::chrono::seconds(60)));
    process.signal(SIGINT);
    const Result result = process.wait();
    EXPECT_FALSE(result.timed_out);
    EXPECT_NE(std::ranges::find(codes, result.exit_code), codes.end()) << result.exit_code;
    EXPECT_TRUE(has_line_with(result.err, {"interrupted"}));
  }
}

TEST_F(Stall, SecondSignalEndsAWriteThatWaits) {
  for (const std::string output : {"-", "md5:", "- --format nut"}) {
    const FullPipe pipe(path("fifo"));
    expect_second_signal_ends(SIGTERM, output);
  }
}

// The pipe has no room even for the header.
TEST_F(Stall, SecondSignalEndsAHeaderThatWaits) {
  for (const std::string output : {"-", "md5:", "- --format nut", "- --format matroska"}) {
    const FullPipe pipe(path("fifo"), false);
    expect_second_signal_ends(SIGINT, output);
  }
}

TEST_F(Stall, SlowReaderGetsEverything) {
  const std::string line = vidconv() + " pattern:160x90#60 -o - --kernel box ";
  const std::string slowly = "for i in {1..20}; do head -c 20000; sleep 0.05; done; cat";
  for (const std::string format : {"y4m", "raw", "nut --codec ffv1"}) {
    const Result fast = shell(line + "--format " + format + " | md5sum");
    const Result slow = shell(line + "--format " + format + " | { " + slowly + "; } | md5sum");
    EXPECT_TRUE(succeeded(slow));
    EXPECT_EQ(slow.out, fast.out) << format;
  }
}

TEST_F(Stall, SlowWriterIsWaitedFor) {
  for (const std::string name : {"in.y4m", "in.mkv", "in.nut"}) {
    make_clip(name, "-pix_fmt yuv420p " + std::string(name == "in.y4m" ? "" : "-c:v ffv1"));
    const Result fast = shell("cat " + path(name) + " | " + vidconv() + " - -o md5: --kernel box");
    const Result slow = shell("{ for i in {1..10}; do head -c 3001; sleep 0.05; done; cat; } < " +
                              path(name) + " | " + vidconv() + " - -o md5: --kernel box");
    EXPECT_TRUE(succeeded(slow));
    EXPECT_EQ(parse_digests(slow.out).frames.size(), 20U);
    EXPECT_EQ(slow.out, fast.out) << name;
  }
}

TEST_F(Stall, WriterThatDiesMidFrameIsDamage) {
  make_clip("in.y4m", "-pix_fmt yuv420p");
  const Result result =
      shell("head -c 100000 " + path("in.y4m") + " | " + vidconv() + " - -o md5: --kernel box");
  EXPECT_EQ(result.exit_code, exit_damaged);
  EXPECT_EQ(parse_digests(result.out).frames.size(), 7U);  // a frame has 13824 bytes
}

}  // namespace
}  // namespace vidconv::test
