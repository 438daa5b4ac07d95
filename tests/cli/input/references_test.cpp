// An input must not open files or addresses that the user has not asked for, by whatever name the
// input came.
#include "tests/cli/support/server.h"

namespace vidconv::test {
namespace {

// Makes inputs with every kind of reference. The folder public/ has a playlist that works; secret/
// is what others try to reach.
class References : public CliTest {
 protected:
  References() {
    for (const char* folder : {"public", "public/below", "secret"})
      std::filesystem::create_directory(path(folder));
    ffmpeg(
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -c:v mpeg2video -g 5 -f hls "
        "-hls_time "
        "0.2 -hls_segment_filename " +
        path("public/s%d.ts") + " " + path("public/good.m3u8"));
    std::filesystem::copy(path("public/s0.ts"), path("secret/s0.ts"));
    std::filesystem::copy(path("public/s0.ts"), path("public/below/s0.ts"));
    server.emplace(path("secret"));
  }

  std::string web() const { return "http://" + server->address() + "/s0.ts"; }
  std::string secret() const { return path("secret/s0.ts"); }

  // Writes public/NAME, a playlist of one segment; lines before it.
  std::string playlist(const std::string& name, const std::string& segment,
                       const std::string& before = "") const {
    write_file(path("public/" + name), "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + before +
                                           "#EXTINF:0.2,\n" + segment + "\n#EXT-X-ENDLIST\n");
    return path("public/" + name);
  }
  std::string list(const std::string& name, const std::string& file) const {
    write_file(path("public/" + name), "ffconcat version 1.0\nfile " + file + "\n");
    return path("public/" + name);
  }

  // Writes public/NAME, a DASH manifest of one segment.
  std::string manifest(const std::string& name, const std::string& base,
                       const std::string& segment = "s0.ts") const {
    write_file(
        path("public/" + name),
        "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
        "mediaPresentationDuration=\"PT1S\" profiles=\"urn:mpeg:dash:profile:isoff-on-demand:"
        "2011\"><Period><AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\" "
        "bandwidth=\"1\"><BaseURL>" +
            base + "</BaseURL><SegmentList duration=\"1\"><SegmentURL media=\"" + segment +
            "\"/>"
            "</SegmentList></Representation></AdaptationSet></Period></MPD>");
    return path("public/" + name);
  }

  // Filters an input, given as words of bash.
  static Result filter(const std::string& input) {
    return shell(vidconv() + " " + input + " -o md5: --kernel identity");
  }
  // Expects that the reference is refused, without a connection or a frame.
  void expect_refused(const std::string& input, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(input);
    const Result result = filter(input);
    EXPECT_TRUE(refused(result, exit_input, parts));
    EXPECT_EQ(split_lines(result.err).size(), 1U) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(server->connections(), 0U);
  }

  static std::size_t frames(const Result& result) {
    EXPECT_TRUE(succeeded(result));
    return parse_digests(result.out).frames.size();
  }

  std::optional<Server> server;
};

TEST_F(References, NamedPlaylistsHaveWhatLiesBesideThem) {
  const std::string good = path("public/good.m3u8");
  EXPECT_EQ(frames(filter(good)), 10U);
  EXPECT_EQ(frames(filter("file:" + good)), 10U);
  EXPECT_EQ(frames(filter("file://" + good)), 10U);
  EXPECT_EQ(frames(shell("cd " + path("public") + " && " + vidconv() +
                         " good.m3u8 -o md5: --kernel identity")),
            10U);
  EXPECT_EQ(frames(filter(playlist("below.m3u8", "below/s0.ts"))), 5U);
  EXPECT_EQ(frames(filter(playlist("absolute.m3u8", path("public/s0.ts")))), 5U);
  EXPECT_EQ(frames(filter(list("l.ffconcat", "s0.ts"))), 5U);
  std::filesystem::copy(good, path("public/holiday.mp4"));
  EXPECT_EQ(frames(filter(path("public/holiday.mp4") + " --format-in hls")), 10U);
  std::filesystem::create_symlink("s0.ts", path("public/link.ts"));
  EXPECT_EQ(frames(filter(playlist("link.m3u8", "link.ts"))), 5U);
  ASSERT_EQ(mkfifo(path("public/decoy.m3u8").c_str(), 0600), 0);
}

TEST_F(References, EncryptedSegmentsHaveTheirKeyBesideThem) {
  const std::string key = "-K 30313233343536373839616263646566 -iv " + std::string(32, '0');
  EXPECT_TRUE(
      succeeded(shell("cd " + path("public") + " && openssl aes-128-cbc -in s0.ts -out e.ts " +
                      key + " && printf 0123456789abcdef > k.ts && cp k.ts ../secret")));
  const std::string how = "#EXT-X-KEY:METHOD=AES-128,IV=0x" + std::string(32, '0') + ",URI=";
  EXPECT_EQ(frames(filter(playlist("key.m3u8", "e.ts", how + "\"k.ts\"\n"))), 5U);
  expect_refused(playlist("k2.m3u8", "e.ts", how + "\"" + path("secret/k.ts") + "\"\n"),
                 {"secret/k.ts", "neither beside it nor below", "[input-reference]"});
  expect_refused(playlist("k3.m3u8", secret(), how + "\"k.ts\"\n"), {secret(), "neither beside"});
  expect_refused(playlist("k4.m3u8", "e.ts", how + "\"" + web() + "\"\n"), {web(), "files only"});
}

TEST_F(References, FilesLeadToNoAddressAndNoOtherFolder) {
  std::filesystem::create_symlink(secret(), path("public/link.ts"));
  std::filesystem::create_directory_symlink(path("secret"), path("public/door"));
  ASSERT_EQ(mkfifo(path("public/fifo.ts").c_str(), 0600), 0);
  const std::string outside = "neither beside it nor below";
  expect_refused(playlist("1.m3u8", web()), {web(), "files only", "[input-reference]"});
  expect_refused(playlist("2.m3u8", secret()), {secret(), outside, "[input-reference]"});
  expect_refused(playlist("3.m3u8", "file://" + secret()), {secret(), outside});
  expect_refused(playlist("4.m3u8", "../secret/s0.ts"), {"secret/s0.ts", outside});
  expect_refused(playlist("5.m3u8", "link.ts"), {"link.ts", outside});
  expect_refused(playlist("6.m3u8", "door/s0.ts"), {"door/s0.ts", outside});
  expect_refused(playlist("7.m3u8", "fifo.ts"), {"fifo.ts", "no regular file"});
  expect_refused(playlist("8.m3u8", "s0.ts", "#EXT-X-MAP:URI=\"" + web() + "\"\n"), {web()});
  playlist("inner.m3u8", secret());
  write_file(path("public/9.m3u8"), "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\ninner.m3u8\n");
  expect_refused(path("public/9.m3u8"), {secret(), outside});
  // The reference may be in the middle of the list.
  expect_refused(playlist("10.m3u8", "s0.ts\n#EXTINF:1,\n" + secret()), {secret(), outside});
}

// FFmpeg's playlists refuse such names by themselves.
TEST_F(References, PartsWithOtherNamesAreReferencesToo) {
  write_file(path("public/notes.txt"), "");
  for (const std::string segment : {"file:///etc/passwd", "/etc/passwd", "notes.txt"}) {
    const std::string name = segment.substr(segment.rfind('/') + 1);
    expect_refused(playlist("1.m3u8", segment), {name, "does not end", "[input-reference]"});
    expect_refused(playlist("2.m3u8", "s0.ts\n#EXTINF:0.2,\n" + segment),
                   {name, "does not end", "[input-reference]"});
  }
}

// FFmpeg would look for further segments for minutes.
TEST_F(References, LivePlaylistsAreGivenUpAtOnce) {
  write_file(path("public/live.m3u8"),
             "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + secret() + "\n");
  Process process(command({path("public/live.m3u8"), "-o", "md5:", "--kernel", "box"}));
  const Result result = process.wait(std::chrono::seconds(60));
  EXPECT_FALSE(result.timed_out);
  EXPECT_TRUE(refused(result, exit_input, {secret(), "neither beside", "[input-reference]"}));
}

TEST_F(References, PrefixesAreNoWayAround) {
  for (const std::string prefix : {"crypto:", "crypto+", "concat:", "subfile,,start,0,end,0,,:",
                                   "async:", "cache:", "data:", "pipe:", "hls+", "file:crypto:"})
    for (const std::string& target : {secret(), "file:" + secret(), web()}) {
      SCOPED_TRACE(prefix + target);
      const Result result = filter(playlist("p.m3u8", prefix + target));
      EXPECT_EQ(result.exit_code, exit_input) << result.err;
      EXPECT_EQ(result.out, "");
    }
  EXPECT_EQ(server->connections(), 0U);
}

TEST_F(References, WhatIsNotNamedAPlaylistRefersToNothing) {
  for (const char* name : {"good.m3u8", "holiday.mp4"}) {
    const std::string from = path(std::string("public/") + name);
    if (!std::filesystem::exists(from)) std::filesystem::copy(path("public/good.m3u8"), from);
    // In the playlist's folder s0.ts would be found.
    const std::string here = "cd " + path("public") + " && ";
    for (const std::string& line :
         {"cat " + from + " | " + vidconv() + " -", vidconv() + " /dev/stdin < " + from,
          vidconv() + " /proc/self/fd/0 < " + from, vidconv() + " <(cat " + from + ")",
          "mkfifo f.m3u8; cat " + from + " > f.m3u8 & " + vidconv() + " f.m3u8",
          vidconv() + " - --format-in hls < <(cat " + from + ")"}) {
      SCOPED_TRACE(line);
      const Result result =
          shell(here + line + " -o md5: --kernel identity; c=$?; rm -f f.m3u8; exit $c");
      EXPECT_TRUE(refused(result, exit_input, {"refers to", "[input-reference]"}));
      EXPECT_EQ(result.out, "");
    }
  }
  expect_refused(path("public/holiday.mp4"),
                 {"holiday.mp4", "--format-in hls", "[input-reference]"});
  expect_refused("- < " + playlist("w.m3u8", web()), {"refers to", "[input-reference]"});
  expect_refused(list("holiday2.mp4", "s0.ts"), {"--format-in concat", "[input-reference]"});
  expect_refused("- < <(cat " + list("l.ffconcat", "s0.ts") + ")", {"[input-reference]"});
}

TEST_F(References, ListsAreLookedThroughBeforehand) {
  std::filesystem::create_symlink(secret(), path("public/link.ts"));
  expect_refused(list("1.ffconcat", secret()), {secret(), "neither beside"});
  expect_refused(list("2.ffconcat", "../secret/s0.ts"), {"secret/s0.ts", "neither beside"});
  expect_refused(list("3.ffconcat", "s0.ts\nfile 'link.ts'"), {"link.ts", "neither beside"});
  expect_refused(list("4.ffconcat", "file:" + secret()), {secret(), "files only"});
  expect_refused(list("5.ffconcat", web()), {web(), "files only"});
  expect_refused(list("6.ffconcat", "1.ffconcat"), {"1.ffconcat", "a list itself"});
  expect_refused(list("7.ffconcat", playlist("a.m3u8", secret()).substr(path("public/").size())),
                 {"[input-reference]"});
}

// Formats whose demuxers open addresses and files without asking.
TEST_F(References, OtherFormatsLeadNowhere) {
  const std::string port = server->address().substr(server->address().find(':') + 1);
  write_file(path("public/a.sdp"),
             "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video " + port +
                 " RTP/AVP 96\na=rtpmap:96 H264/90000\n");
  // Only an explicit --format-in sdp receives RTP: see live_test.cpp.
  expect_refused(path("public/a.sdp"), {"'rtp'", "--format-in sdp", "[input-reference]"});
  expect_refused("- < " + path("public/a.sdp"), {"[input-reference]"});
  const std::string web_base = "http://" + server->address() + "/";
  // FFmpeg 6.1's DASH opens files whatever it may. Refusing is not the sandbox's task alone.
  for (const std::string& base : {web_base, "file://" + path("secret/"), path("secret/")})
    for (const char* how : {" --no-sandbox", " --no-sandbox --format-in dash"})
      expect_refused(manifest("a.mpd", base) + how, {"[input-reference]"});
  expect_refused("- < <(cat " + manifest("b.mpd", web_base) + ")", {"[input-reference]"});
  std::filesystem::copy(manifest("c.mpd", "", "file://" + path("public/s0.ts")),
                        path("secret/c.mpd"));
  const Result served = filter(web_base + "c.mpd --no-sandbox");
  EXPECT_TRUE(refused(served, exit_input, {"[input-reference]"}));
  EXPECT_EQ(served.out, "");
}

TEST_F(References, PicturesMayBeLinksAndNoPipes) {
  for (int i = 1; i <= 3; ++i)
    ffmpeg("-f lavfi -i testsrc2=size=64x48 -frames:v 1 " +
           path("secret/" + std::to_string(i) + ".png"));
  for (int i = 1; i <= 3; ++i)  // people collect pictures by links
    std::filesystem::create_symlink(path("secret/" + std::to_string(i) + ".png"),
                                    path("public/f" + std::to_string(i) + ".png"));
  EXPECT_EQ(frames(filter(path("public/f%d.png"))), 3U);
  std::filesystem::remove(path("public/f1.png"));
  ASSERT_EQ(mkfifo(path("public/f1.png").c_str(), 0600), 0);
  expect_refused(path("public/f%d.png"), {"f1.png", "no regular file"});
}

TEST_F(References, AddressesLeadToTheirKind) {
  std::filesystem::copy(path("public/good.m3u8"), path("secret/good.m3u8"));
  std::filesystem::copy(path("public/s1.ts"), path("secret/s1.ts"));
  const std::string address = "http://" + server->address() + "/";
  EXPECT_EQ(frames(filter(address + "good.m3u8")), 10U);
  EXPECT_EQ(frames(filter(address + "to/" + web())), 5U);
  std::filesystem::copy(manifest("good.mpd", ""), path("secret/good.mpd"));
  EXPECT_EQ(frames(filter("'" + address + "good.mpd?of=today'")), 5U);
  for (const std::string& target :
       {"file://" + path("public/s0.ts"), "crypto:" + path("public/s0.ts"),
        std::string("udp://127.0.0.1:9")}) {
    playlist("p.m3u8", target);
    std::filesystem::copy_file(path("public/p.m3u8"), path("secret/p.m3u8"),
                               std::filesystem::copy_options::overwrite_existing);
    const Result result = filter(address + "p.m3u8");
    EXPECT_TRUE(refused(result, exit_input, {"it refers to", "[input-reference]"})) << target;
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(References, EveryWayToReadAnInputAsks) {
  const std::string evil = playlist("holiday.mp4", web());
  for (const std::string more :
       {"-o null: --kernel box --video all", "-o null: --kernel box --start 0.2",
        "--kernel box --explain", "--kernel box --benchmark=0.01"}) {
    const Result result = shell(vidconv() + " " + evil + " " + more);
    EXPECT_TRUE(refused(result, exit_input, {"[input-reference]"}));
  }
  const Result gallery = shell(vidconv() + " " + evil + " --gallery -o " + path("g.png"));
  EXPECT_TRUE(refused(gallery, exit_input, {"[input-reference]"}));
  EXPECT_EQ(server->connections(), 0U);
}

}  // namespace
}  // namespace vidconv::test
