// Tests live inputs and outputs, devices and streams over the loopback interface, and how they end.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A socket on the loopback interface, on a port that the system chooses.
class LoopSocket {
 public:
  explicit LoopSocket(int type) : fd_(socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in at = here(0);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    socklen_t length = sizeof at;
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &length), 0);
    port_ = ntohs(at.sin_port);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(listen(fd_, 1), 0);
    }
  }
  // Accepts a connection on a listening socket.
  explicit LoopSocket(const LoopSocket* listening) {
    EXPECT_TRUE(listening->is_readable());
    fd_ = accept4(listening->fd_, nullptr, nullptr, SOCK_CLOEXEC);
    EXPECT_GE(fd_, 0);
  }
  ~LoopSocket() { close(fd_); }
  LoopSocket(const LoopSocket&) = delete;
  LoopSocket& operator=(const LoopSocket&) = delete;

  static sockaddr_in here(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
  }
  std::string address(const std::string& scheme) const {
    return scheme + "://127.0.0.1:" + std::to_string(port_);
  }
  int port() const { return port_; }

  void send_all(const std::string& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      at += static_cast<std::size_t>(sent);
    }
  }
  void connect_to(int port) const {
    const sockaddr_in to = here(port);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  // Returns `most` bytes, or less at the end; a datagram socket returns one datagram.
  std::string receive(std::size_t most) const {
    std::string bytes(most, '\0');
    if (!is_readable()) return {};
    const ssize_t got = recv(fd_, bytes.data(), most, 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return bytes;
  }
  std::string receive_all() const {
    std::string all;
    for (std::string some; !(some = receive(65536)).empty();) all += some;
    return all;
  }
  bool is_readable(int most_milliseconds = 60'000) const {
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    return poll(&ready, 1, most_milliseconds) > 0;
  }
  // Makes closing reset the connection, so that the other end sees it as lost.
  void lose() const {
    const linger none{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }

 private:
  int fd_ = -1, port_ = 0;
};

// Waits until a program has bound the port, by reading /proc.
void wait_until_bound(int port) {
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, ":%04X ", static_cast<unsigned>(port));
  for (int tries = 0; tries < 6000; ++tries) {
    if (read_file("/proc/net/udp").find(wanted) != std::string::npos) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  ADD_FAILURE() << "nobody listens at " << port;
}

// Returns a port that is probably free.
int free_port() { return LoopSocket(SOCK_DGRAM).port(); }

class Live : public CliTest {
 protected:
  // Makes 20 frames as a transport stream.
  std::string stream() const {
    return make_clip("in.ts", "-c:v mpeg2video -q:v 2 -g 10 -bf 0 -f mpegts");
  }
  std::int64_t frames_in(const std::string& name) const {
    return static_cast<std::int64_t>(judge_digests(path(name)).frames.size());
  }
  static Arguments with(std::string input, std::string output, const std::string& more = "") {
    Arguments words{std::move(input), "-o", std::move(output), "--kernel", "identity",
                    "--device",       "cpu"};
    std::istringstream rest(more);
    for (std::string word; rest >> word;) words.push_back(word);
    return command(words);
  }
};

TEST_F(Live, LavfiIsADevice) {
  const std::string graph = "testsrc2=size=64x48:rate=25:duration=0.4";
  const Result result =
      shell(vidconv() + " " + graph + " --format-in lavfi -o md5: --kernel identity -q");
  if (result.err.find("libavdevice") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(parse_digests(result.out), judge_digests(graph, "-f lavfi"));
  // Uncompressed video is encoded as video.
  ASSERT_TRUE(succeeded(
      run_vidconv({graph, "--format-in", "lavfi", "-o", path("out.mkv"), "--kernel", "box"})));
  EXPECT_EQ(probe(path("out.mkv"), "stream=codec_name,pix_fmt"), Arguments{"h264,yuv420p"});
}

TEST_F(Live, TcpInEndsWhereThePeerCloses) {
  const std::string clip = stream();
  const LoopSocket server(SOCK_STREAM);
  Process process(with(server.address("tcp"), path("out.mkv"), "--codec ffv1"));
  {
    const LoopSocket peer(&server);
    peer.send_all(read_file(clip));
  }
  EXPECT_TRUE(succeeded(process.wait()));
  EXPECT_EQ(judge_digests(path("out.mkv")), judge_digests(clip));
  EXPECT_EQ(frame_times(path("out.mkv")).at(0), "0.000000");  // not when the stream began
}

TEST_F(Live, TcpOutIsTheSameBytesAsAFile) {
  const LoopSocket server(SOCK_STREAM);
  const std::string to = "--format mpegts --codec mpeg2video --encoder-opt bf=0";
  Process process(with("pattern:64x48#20", server.address("tcp"), to));
  std::string sent;
  {
    const LoopSocket peer(&server);
    sent = peer.receive_all();
  }
  EXPECT_TRUE(succeeded(process.wait()));
  write_file(path("sent.ts"), sent);
  ASSERT_TRUE(succeeded(Process(with("pattern:64x48#20", path("file.ts"), to)).wait()));
  EXPECT_EQ(judge_digests(path("sent.ts")), judge_digests(path("file.ts")));
}

TEST_F(Live, ALostPeerIsDamageOrAClosedOutput) {
  const std::string clip = read_file(stream());
  const LoopSocket server(SOCK_STREAM);
  {
    Process process(with(server.address("tcp"), path("out.mkv"), "--codec ffv1"));
    std::optional<LoopSocket> peer(&server);
    peer->send_all(clip);
    EXPECT_TRUE(process.wait_until_it_waits(seconds(60)));  // all of it was read
    peer->lose();
    peer.reset();
    const Result result = process.wait();
    EXPECT_TRUE(refused(result, exit_damaged, {"tcp://", "reset by peer", "[damaged]"}));
    EXPECT_GE(frames_in("out.mkv"), 15);
  }
  {
    Process process(with("pattern:320x240", server.address("tcp"), "--format y4m"));
    std::optional<LoopSocket> peer(&server);
    EXPECT_FALSE(peer->receive(100).empty());
    peer->lose();
    peer.reset();
    EXPECT_TRUE(refused(process.wait(), exit_output, {"tcp://", "closed it", "[output-closed]"}));
  }
}

TEST_F(Live, SilenceEndsWithWhatHasCome) {
  const std::string clip = read_file(stream());
  const LoopSocket server(SOCK_STREAM);
  Process process(
      with(server.address("tcp"), path("out.mkv"), "--codec ffv1 --timeout 1 --latency 60000"));
  const LoopSocket peer(&server);
  peer.send_all(clip);
  EXPECT_TRUE(refused(process.wait(), exit_damaged, {"nothing came for 1 s", "[damaged]"}));
  EXPECT_GE(frames_in("out.mkv"), 15);
}

// Nobody else can end a camera.
TEST_F(Live, ASignalIsAnEnd) {
  const std::string clip = read_file(stream());
  const LoopSocket in(SOCK_STREAM), out(SOCK_STREAM);
  Process process(with(in.address("tcp"), out.address("tcp"),
                       "--format y4m --latency 60000 --stats " + path("s")));
  const LoopSocket from(&in);
  from.send_all(clip);
  const LoopSocket to(&out);
  // Part of the second frame of 128x72 has come, so that the first is in the output.
  std::size_t got = 0;
  for (std::string some; got < 20'000 && !(some = to.receive(65536)).empty();) got += some.size();
  process.signal(SIGINT);
  to.receive_all();
  const Result result = process.wait();
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"ended by a signal", "finished"}));
  EXPECT_EQ(nlohmann::json::parse(read_file(path("s"))).at("outcome"), "done");
}

TEST_F(Live, UdpOutIsWholePacketsOfATransportStream) {
  const LoopSocket receiver(SOCK_DGRAM);
  Process process(with("pattern:64x48#20", receiver.address("udp"),
                       "--format mpegts --codec mpeg2video --encoder-opt bf=0"));
  EXPECT_TRUE(succeeded(process.wait()));
  std::string all;
  while (receiver.is_readable(0)) {
    const std::string datagram = receiver.receive(65536);
    EXPECT_LE(datagram.size(), 1316U);
    EXPECT_EQ(datagram.size() % 188, 0U);
    all += datagram;
  }
  write_file(path("out.ts"), all);
  EXPECT_EQ(frames_in("out.ts"), 20);
}

TEST_F(Live, UdpIn) {
  const std::string clip = read_file(stream());
  const int port = free_port();
  Process process(with("udp://127.0.0.1:" + std::to_string(port), path("out.mkv"),
                       "--codec ffv1 --frames 15 --timeout 60 --latency 60000"));
  wait_until_bound(port);
  const LoopSocket sender(SOCK_DGRAM);
  sender.connect_to(port);
  for (std::size_t at = 0; at < clip.size(); at += 1316) sender.send_all(clip.substr(at, 1316));
  EXPECT_TRUE(succeeded(process.wait()));
  EXPECT_EQ(frames_in("out.mkv"), 15);
}

// An SDP file names the port of a transport stream over RTP; it is trusted only if --format-in says
// that it is one.
TEST_F(Live, RtpAsAFileDescribesIt) {
  const std::string clip = read_file(stream()), description = path("s.sdp");
  int port = free_port();
  while (port % 2 != 0) port = free_port();  // the next one is for reports
  write_file(description,
             "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
             "m=video " +
                 std::to_string(port) + " RTP/AVP 33\r\n");
  EXPECT_TRUE(refused(run_vidconv({description, "-o", "null:", "--kernel", "identity"}), exit_input,
                      {"'rtp'", "--format-in sdp", "if you trust it"}));
  Process process(with(description, path("out.mkv"),
                       "--format-in sdp --codec ffv1 --frames 15 --timeout 60 --latency 60000"));
  wait_until_bound(port);
  const LoopSocket sender(SOCK_DGRAM);
  sender.connect_to(port);
  char number = 0;
  for (std::size_t at = 0; at < clip.size(); at += 1316) {
    const char header[12] = {'\x80', 33, 0, number++, 0, 0, 0, 0, 1, 2, 3, 4};
    sender.send_all(std::string(header, sizeof header) + clip.substr(at, 1316));
  }
  EXPECT_TRUE(succeeded(process.wait()));
  EXPECT_EQ(frames_in("out.mkv"), 15);
}

// Twenty frames at 25 a second: the last one is due 0.76 s after the first.
TEST_F(Live, FilesComeAtTheirOwnSpeedWhereTheyAreAskedTo) {
  const Arguments run{clip(), "-o", "md5:", "--kernel", "box"};
  const Result fast = run_vidconv(run);
  Arguments paced = run;
  paced.insert(paced.end(), {"--realtime", "--stats", path("stats.json")});
  const Result slow = run_vidconv(paced);
  ASSERT_TRUE(succeeded(slow)) << slow.err;
  EXPECT_EQ(slow.out, fast.out);
  EXPECT_GE(nlohmann::json::parse(read_file(path("stats.json"))).at("seconds").get<double>(), 0.76);
  paced.insert(paced.end(), {"--shards", "2"});
  EXPECT_TRUE(refused(run_vidconv(paced), exit_command_line, {"--realtime", "leave out one"}));
}

// The second frame is due in a day.
TEST_F(Live, WaitingForATimeEndsWithASignal) {
  Process process(command({"pattern:64x48@1/86400#3", "-o", path("out.mkv"), "--kernel", "box",
                           "--realtime", "--progress", "plain"}));
  ASSERT_TRUE(process.wait_for_stderr("fps", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().exit_code, exit_interrupted);
}

}  // namespace
}  // namespace vidconv::test
