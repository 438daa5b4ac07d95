// Tests what a stranger's code can do inside a run (intruder.cpp), and that the files of the
// command line stay usable.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;
using Tried = std::map<std::string, std::string>;

// Returns the kernel's version of Landlock.
long landlock() { return std::max(0L, syscall(444, nullptr, 0, 1)); }

#define NEEDS_LANDLOCK(version) \
  if (landlock() < (version))   \
  GTEST_SKIP() << "this kernel has version " << landlock() << " of Landlock"

class Sandbox : public CliTest {
 protected:
  Sandbox() {
    std::filesystem::create_directories(path("out"));
    std::filesystem::create_directories(path("elsewhere"));
    write_file(path("elsewhere/kept"), "precious");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    given_ = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(dup2(given_, 9), 9);
    sender_ = socket(AF_INET, SOCK_DGRAM, 0);
    EXPECT_EQ(dup2(sender_, 8), 8);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
    listen(listening_, 8);
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Sandbox() override {
    close(listening_);
    for (const int fd : {given_, sender_, 9, 8}) close(fd);
  }

  // Runs the command with the intruder in it, and asks for its report.
  Result intruded(const std::string& arguments, const std::string& landlock = "",
                  const std::string& stats = "stats.json") const {
    const Result result = shell(
        "export VIDCONV_TARGET=" + path("elsewhere") + " VIDCONV_INPUT=" + path("clip.mp4") +
        " VIDCONV_SOCKET=9 VIDCONV_SENDER=8 VIDCONV_PORT=" + std::to_string(port_) +
        " VIDCONV_LANDLOCK=" + landlock +
        " ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0; LD_PRELOAD=" VIDCONV_INTRUDER " " +
        vidconv() + " " + arguments + " --kernel box --stats " + path("out/" + stats));
    EXPECT_TRUE(succeeded(result));
    return result;
  }
  static Tried tried(const Result& result) {
    Tried all;
    for (const std::string& line : split_lines(result.err)) {
      const std::size_t colon = line.rfind(": ");
      if (line.starts_with("intruder: ")) all[line.substr(10, colon - 10)] = line.substr(colon + 2);
    }
    return all;
  }
  json in_force() const { return json::parse(read_file(path("out/stats.json"))).at("sandbox"); }

 private:
  int listening_ = -1, given_ = -1, sender_ = -1, port_ = 0;
};

const std::string denied = "Permission denied", not_permitted = "Operation not permitted";

TEST_F(Sandbox, AStrangerGetsNothing) {
  NEEDS_LANDLOCK(6);
  const Result result = intruded(clip() + " -o " + path("out/a.mkv"));
  for (const auto& [what, came_of_it] : tried(result))
    EXPECT_EQ(came_of_it == "done", what == "own process" || what == "size")
        << what << ": " << came_of_it;
  EXPECT_EQ(read_file(path("elsewhere/kept")), "precious");
  EXPECT_EQ(
      in_force(),
      (json{{"landlock", landlock()},
            {"in_force", {"files", "truncation", "network", "sockets", "signals", "system_calls"}},
            {"why_not", nullptr}}));
}

TEST_F(Sandbox, WithoutItHeGetsAll) {
  const Result result = intruded(clip() + " -o " + path("out/a.mkv") + " --no-sandbox");
  const Tried all = tried(result);
  EXPECT_EQ(all.size(), 32U);
  const std::set<std::string> of_machine{"raw socket", "ring", "flags by descriptor",
                                         "namespace by clone"};  // machines differ
  for (const auto& [what, came_of_it] : all)
    EXPECT_TRUE(came_of_it == "done" || of_machine.contains(what)) << what << ": " << came_of_it;
  EXPECT_EQ(in_force().at("in_force"), json::array());
  EXPECT_EQ(in_force().at("why_not"), "--no-sandbox");
}

TEST_F(Sandbox, AUrlOpensTheNetworkAlone) {
  NEEDS_LANDLOCK(1);
  const std::string film = make_clip("film.mkv", "-c:v ffv1"), port = path("port");
  Process server({"python3",
                  std::string(VIDCONV_SOURCE_DIR) + "/tests/cli/support/stalling_server.py", film,
                  std::to_string(std::filesystem::file_size(film)), port});
  ASSERT_TRUE(succeeded(
      shell("for i in {1..600}; do [[ -s " + port + " ]] && exit; sleep 0.05; done; exit 1")));
  const Tried all =
      tried(intruded("http://127.0.0.1:" + read_file(port) + "/film.mkv -o " + path("out/a.mkv")));
  EXPECT_EQ(all.at("connect"), "done");
  EXPECT_EQ(all.at("read"), denied);
  EXPECT_EQ(all.at("write"), denied);
  for (const json& what : in_force().at("in_force")) EXPECT_NE(what, "network");
}

// On an older kernel the sandbox uses what there is; without Landlock a run works as before.
TEST_F(Sandbox, OlderKernels) {
  const std::string in = clip();
  json expected = json::array();
  for (int version = 0; version <= std::min(landlock(), 6L); ++version) {
    SCOPED_TRACE(version);
    if (version == 1) expected.push_back("files");
    if (version == 3) expected.push_back("truncation");
    if (version == 4) expected.push_back("network");
    if (version == 6) expected.insert(expected.end(), {"sockets", "signals"});
    json with_calls = expected;
    with_calls.push_back("system_calls");
    const Tried all = tried(intruded(in + " -y -o " + path("out/a.mkv"), std::to_string(version)));
    EXPECT_EQ(all.at("read"), version >= 1 ? denied : "done");
    EXPECT_EQ(all.at("empty"), version >= 3 ? denied : "done");
    EXPECT_NE(all.at("connect"), "done");
    EXPECT_NE(all.at("execute from memory"), "done");
    EXPECT_EQ(all.at("signal"), version >= 6 ? not_permitted : "done");
    EXPECT_EQ(in_force().at("in_force"), with_calls);
    EXPECT_EQ(in_force().at("why_not").is_null(), version > 0);
    write_file(path("elsewhere/kept"), "precious");
  }
}

// SECURITY.md lists the outcomes of this test, word for word.
TEST_F(Sandbox, ThePageSaysWhatIsFound) {
  NEEDS_LANDLOCK(6);
  const std::pair<std::string, std::string> rows[] = {
      {"read", "read `/etc/passwd`"},
      {"list", "list `/etc`"},
      {"write", "make a file in another folder"},
      {"empty", "empty a file there"},
      {"remove", "remove a file there"},
      {"execute", "execute `/bin/true`"},
      {"execute from memory", "execute a program in memory (`memfd_create`, `fexecve`)"},
      {"connect", "connect to a TCP port of this machine"},
      {"mptcp", "make an MPTCP socket"},
      {"udp", "make a UDP socket"},
      {"local socket", "make a local socket (`AF_UNIX`)"},
      {"raw socket", "make a raw socket (`AF_PACKET`), as root"},
      {"listen", "listen at a socket that the run was given"},
      {"send", "send through a UDP socket that the run was given"},
      {"mode by name", "change the mode of a file by its name"},
      {"mode by descriptor", "change the mode of the input, once opened"},
      {"owner", "change the owner of a file"},
      {"attribute by name", "set an attribute of a file by its name"},
      {"attribute by descriptor", "set an attribute of the input, once opened"},
      {"flags by descriptor", "set a flag of the input (`FS_IOC_SETFLAGS`), once opened"},
      {"times", "change the time of a file by its name"},
      {"size", "learn that a file is there, its size and its times"},
      {"watch", "watch what others do in a folder (`inotify`)"},
      {"shared memory", "share memory with other programs (`shmget`)"},
      {"limits", "change limits of another process (`prlimit`)"},
      {"other process", "read the command line of another process"},
      {"own process", "read what `/proc` has of its own process"},
      {"signal", "send a signal to another process"},
      {"memory", "read the memory of a process as debuggers do"},
      {"ring", "make calls through a ring (`io_uring`)"},
      {"namespace", "make a namespace (`unshare`)"},
      {"namespace by clone", "make a namespace (`clone`, `clone3`)"},
  };
  const std::string in = clip(), out = path("out/a.mkv");
  std::filesystem::create_directories(path("several"));
  std::filesystem::copy_file(in, path("clip2.mp4"));
  const Tried first = tried(intruded(in + " -o " + out));
  write_file(path("elsewhere/kept"), "precious");
  const Tried replacing = tried(intruded(in + " -y -o " + out));
  write_file(path("elsewhere/kept"), "precious");
  const Tried batch = tried(intruded(
      in + " " + path("clip2.mp4") + " -o '" + path("several/{n}.mkv") + "'", "", "'{n}.json'"));
  std::string table =
      "  | a stranger's code in a decoder wants to | file to file | `-y` | several inputs |\n"
      "  | --- | --- | --- | --- |\n";
  const auto word = [](const Tried& all, const std::string& what) {
    return all.at(what) == "done" ? "**can**" : "cannot";
  };
  for (const auto& [what, text] : rows)
    table += "  | " + text + " | " + word(first, what) + " | " + word(replacing, what) + " | " +
             word(batch, what) + " |\n";
  EXPECT_NE(read_file(std::string(VIDCONV_SOURCE_DIR) + "/SECURITY.md").find(table),
            std::string::npos)
      << table;
}

// A run in the sandbox can use a path however it is named.
TEST_F(Sandbox, WhatIsNamedIsThere) {
  const std::string in = clip();
  ffmpeg("-i " + in + " -frames:v 3 " + path("elsewhere/%03d.png"));
  std::filesystem::create_directories(path("here"));
  std::filesystem::create_symlink("../elsewhere/linked.mkv", path("out/link.mkv"));
  std::filesystem::create_symlink("nothing.mkv", path("out/dangling.mkv"));
  write_file(path("elsewhere/linked.mkv"), "old");
  std::filesystem::create_symlink("/dev/null", path("here/null.y4m"));
  std::filesystem::create_symlink("/dev/stdout", path("here/stdout.y4m"));
  ASSERT_TRUE(succeeded(shell("mkfifo " + path("here/fifo.y4m"))));
  const std::string line = "cd " + path("here") + " && " + vidconv() + " --kernel box ";
  const std::string more[] = {
      "../clip.mp4 -o ../out/a.mp4 --stats ../elsewhere/a.json --trace ./a.trace",
      in + " -o a.mkv",
      "../clip.mp4 -y -o " + path("out/link.mkv"),
      in + " -o " + path("out/dangling.mkv") + " -y",
      in + " -o null.y4m -y",
      in + " -o stdout.y4m -y | cat",
      in + " -o fifo.y4m | cat fifo.y4m",
      in + " -o >(cat) --format y4m",
      "/dev/stdin -o b.mkv < " + in,
      "<(cat " + in + ") -o c.mkv --codec ffv1",
      "../elsewhere/%03d.png -o ../out/%03d.png",
      "- -o - < " + in + " | cat",
      in + " -o d.mkv --video all --start 0.3",
      in + " -o e.mkv --codec libx264 --encoder-opt x264-params=pass=1",
      in + " -o f.mkv --codec libx264 --encoder-opt flags=+pass1 --encoder-opt passlogfile=" +
          path("elsewhere/log"),
  };
  for (const std::string& arguments : more) {
    const Result result = shell(line + arguments);
    EXPECT_TRUE(succeeded(result)) << arguments;
    EXPECT_EQ(result.err.find(denied), std::string::npos) << result.err;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path("out/link.mkv")));
  EXPECT_EQ(frame_times(path("elsewhere/linked.mkv")).size(), 20U);
}

}  // namespace
}  // namespace vidconv::test
