// --timeout and Ctrl-C end the wait for an input of any kind. The harness kills a program after two
// minutes, which is how a hang shows.
#include <signal.h>
#include <sys/stat.h>

#include <thread>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Wait : public CliTest {
 protected:
  std::string fifo() const {
    EXPECT_EQ(mkfifo(path("fifo.y4m").c_str(), 0600), 0);
    return path("fifo.y4m");
  }
  static void expect_silent(const Result& result) {
    EXPECT_FALSE(result.timed_out);
    EXPECT_TRUE(refused(result, exit_input, {"nothing came for", "[input-silent]"}));
  }
};

TEST_F(Wait, PipeWithoutAWriterTimesOut) {
  const std::string pipe = fifo();
  expect_silent(run_vidconv({pipe, "-o", "null:", "--kernel", "box", "--timeout", "0.3"}));
  expect_silent(run_vidconv(
      {pipe, "--raw", "8x8:gray", "-o", "null:", "--kernel", "box", "--timeout", "0.3"}));
}

TEST_F(Wait, PipeWhoseWriterFallsSilentTimesOut) {
  make_clip("in.mkv", "-c:v ffv1");
  const std::string pipe = fifo();
  for (const char* bytes : {"100", "30000"})
    expect_silent(shell("{ head -c " + std::string(bytes) + " " + path("in.mkv") +
                        "; exec sleep 100; } > " + pipe + " & " + vidconv() + " " + pipe +
                        " -o null: --kernel box --timeout 1; code=$?; kill $!; exit $code"));
}

TEST_F(Wait, PipeIsWaitedFor) {
  make_clip("in.y4m", "-pix_fmt yuv420p");
  const std::string pipe = fifo();
  const Result result = shell("{ sleep 0.5; cat " + path("in.y4m") + "; } > " + pipe + " & " +
                              vidconv() + " " + pipe + " -o md5: --kernel box --timeout 60");
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(parse_digests(result.out).frames.size(), 20U);
}

TEST_F(Wait, SignalEndsAWaitForAWriter) {
  Process process(command({fifo(), "-o", "null:", "--kernel", "box"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.signal(SIGINT);
  const Result result = process.wait();
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, exit_interrupted);
}

TEST_F(Wait, SilenceOfUdpIsNamed) {
  const std::string port =
      "$(python3 -c 'import socket; s = socket.socket(2, 2); s.bind((\"127.0.0.1\", 0)); "
      "print(s.getsockname()[1])')";
  expect_silent(
      shell(vidconv() + " udp://127.0.0.1:" + port + " -o null: --kernel box --timeout 0.5"));
  // The sender stops after a second: the frames so far are kept.
  const Result result = shell("port=" + port + "; " + vidconv() +
                              " udp://127.0.0.1:$port -o null: --kernel box --timeout 3 & "
                              "for i in 1 2 3 4; do ffmpeg -v error -nostdin -re -f lavfi -i "
                              "testsrc2=size=64x48:duration=0.5 -c:v mpeg2video -f mpegts "
                              "udp://127.0.0.1:$port; done; wait $!");
  EXPECT_TRUE(refused(result, exit_damaged, {"nothing came for 3 s", "[damaged]"}));
}

// Kernels are read before anything can be cancelled.
TEST_F(Wait, KernelFilesAreRegular) {
  for (const std::string& name : {fifo(), std::string("/dev/zero"), std::string("/dev/tty")}) {
    const Result result = run_vidconv({"pattern:8x8#1", "-o", "null:", "--kernel", "file:" + name});
    EXPECT_FALSE(result.timed_out);
    EXPECT_EQ(result.exit_code, exit_command_line) << result.err;
    EXPECT_TRUE(has_line_with(result.err, {name, "[filter-spec]"}));
  }
}

}  // namespace
}  // namespace vidconv::test
