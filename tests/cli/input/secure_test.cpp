// Servers' certificates are checked, and passwords are not shown to anybody else.
#include "tests/cli/support/server.h"

namespace vidconv::test {
namespace {

class Secure : public CliTest {
 protected:
  Secure() {
    std::filesystem::create_directory(path("web"));
    ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -c:v mpeg2video " +
           path("web/a.ts"));
    write_file(path("web/a.m3u8"),
               "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.4,\na.ts\n#EXT-X-ENDLIST\n");
  }

  // Makes a self-signed certificate of localhost and its key.
  Arguments certificate() const {
    EXPECT_TRUE(
        succeeded(shell("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "
                        "/CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
                        path("key.pem") + " -out " + path("cert.pem") + " 2>&1")));
    return {path("cert.pem"), path("key.pem")};
  }
  // Returns the variable that makes OpenSSL trust the certificate.
  std::string trusting() const { return "SSL_CERT_FILE=" + path("cert.pem") + " "; }

  static Result filter(const std::string& input, const std::string& before = "") {
    return shell(before + vidconv() + " " + input + " -o md5: --kernel identity");
  }
  static std::string localhost(const Server& server) {
    return "https://localhost" + server.address().substr(server.address().find(':')) + "/";
  }
};

TEST_F(Secure, CertificatesAreChecked) {
  const Server server(path("web"), certificate());
  for (const char* name : {"a.ts", "a.m3u8"}) {
    const std::string address = localhost(server) + name;
    const Result strange = filter(address);
    EXPECT_TRUE(refused(strange, exit_input, {"ertificate", "--insecure", "[input-unreadable]"}));
    EXPECT_EQ(strange.out, "");
    EXPECT_TRUE(succeeded(filter(address + " --insecure")));
    EXPECT_TRUE(succeeded(filter(address, trusting())));
  }
  const std::string other_name = "https://" + server.address() + "/a.ts";
  EXPECT_TRUE(refused(filter(other_name, trusting()), exit_input, {"ertificate", "--insecure"}));
}

TEST_F(Secure, HttpsLeadsToHttpsOnly) {
  std::filesystem::create_directory(path("plain"));
  std::filesystem::copy(path("web/a.ts"), path("plain/a.ts"));
  const Server plain(path("plain")), server(path("web"), certificate());
  const std::string target = "http://" + plain.address() + "/a.ts";
  write_file(path("web/down.m3u8"),
             "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + target + "\n#EXT-X-ENDLIST\n");
  const Result down = filter(localhost(server) + "down.m3u8", trusting());
  EXPECT_TRUE(refused(down, exit_input, {target, "https", "[input-reference]"}));
  EXPECT_EQ(plain.connections(), 0U);
  const Result moved = filter(localhost(server) + "to/" + target, trusting());
  EXPECT_TRUE(refused(moved, exit_input, {target, "https", "[input-reference]"}));
  // A redirection from HTTP to HTTPS is safe.
  EXPECT_TRUE(succeeded(
      filter("http://" + plain.address() + "/to/" + localhost(server) + "a.ts", trusting())));
}

// Before version 7, FFmpeg fetches some references without a way for us to have certificates
// checked.
TEST_F(Secure, WhatCannotBeCheckedIsRefused) {
  ffmpeg("-i " + path("web/a.ts") + " -c:v mpeg4 -movflags +frag_keyframe+empty_moov " +
         path("web/a.mp4"));
  write_file(
      path("web/a.mpd"),
      "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
      "mediaPresentationDuration=\"PT0.4S\" profiles=\"urn:mpeg:dash:profile:isoff-on-demand:"
      "2011\"><Period><AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\" "
      "bandwidth=\"1\"><SegmentList duration=\"1\"><SegmentURL media=\"a.mp4\"/>"
      "</SegmentList></Representation></AdaptationSet></Period></MPD>");
  const Server server(path("web"), certificate());
  const Result trusted = filter(localhost(server) + "a.mpd", trusting());
  EXPECT_TRUE(trusted.exit_code == 0 ||
              refused(trusted, exit_input, {"certificate", "--insecure", "[input-reference]"}))
      << trusted.err;
  EXPECT_TRUE(refused(filter(localhost(server) + "a.mpd"), exit_input, {"ertificate"}));
}

TEST_F(Secure, PasswordsAreSeenNowhere) {
  const Server server(path("web"));
  const std::string name = "?access_token=s3same";
  for (const char* file : {"a.ts", "a.m3u8", "missing.ts"})
    for (const char* how : {" --progress json", " --explain", " --strict --frames 3"}) {
      const Result result = shell(
          vidconv() + " 'http://me:s3cret@" + server.address() + "/" + file + name + "'" + how +
          " --kernel box -o null: -y --stats " + path("s.json") + " --trace " + path("t.json") +
          " && [[ -e " + path("s.json") + " ]]; cat " + path("s.json") + " " + path("t.json"));
      for (const std::string& text : {result.out, result.err}) {
        EXPECT_EQ(text.find("s3cret"), text.npos) << text;
        EXPECT_EQ(text.find("s3same"), text.npos) << text;
      }
      EXPECT_NE((result.out + result.err).find("me:***@"), std::string::npos);
    }
  const std::string two = vidconv() + " --kernel box http://me:s3cret@127.0.0.1:9/ ";
  const Result failed = shell(two + "a.mp4 -o null: --stats -");
  EXPECT_EQ(failed.exit_code, exit_input);
  EXPECT_EQ((failed.out + failed.err).find("s3cret"), failed.out.npos) << failed.out << failed.err;
  const Result refusal = shell(two + "http://me:s3cret@127.0.0.1:9/ -o {name}.mkv");
  EXPECT_EQ(refusal.exit_code, exit_command_line);
  EXPECT_EQ(refusal.err.find("s3cret"), refusal.err.npos) << refusal.err;
}

}  // namespace
}  // namespace vidconv::test
