// URLs are told from paths, and shown without what nobody may see.
#include "pipeline/base/url.h"

#include <gtest/gtest.h>

namespace vidconv {
namespace {

TEST(Url, Scheme) {
  EXPECT_EQ(scheme_of("http://host/a.mp4"), "http");
  EXPECT_EQ(scheme_of("crypto+file:a.ts"), "crypto+file");
  EXPECT_EQ(scheme_of("subfile,,start,0,end,0,,:a.ts"), "subfile");
  EXPECT_EQ(scheme_of("a.mp4"), "");
  EXPECT_EQ(scheme_of("/a:b.mp4"), "");
}

TEST(Url, Paths) {
  EXPECT_TRUE(is_url("https://host/a.mp4"));
  for (const char* path : {"a.mp4", "/a.mp4", "file:///a.mp4", "file:a.mp4", "a:b.mp4", "-"})
    EXPECT_FALSE(is_url(path)) << path;
  EXPECT_EQ(local_path("file:///a.mp4"), "/a.mp4");
  EXPECT_EQ(local_path("file:a.mp4"), "a.mp4");
  EXPECT_EQ(local_path("a:b.mp4"), "a:b.mp4");
}

TEST(Url, PasswordsAreHidden) {
  const auto shows = [](const char* text, const char* shown) { EXPECT_EQ(redacted(text), shown); };
  shows("cannot read 'http://me:pw@host:80/a?b=c': no",
        "cannot read 'http://me:***@host:80/a?b=c': no");
  shows("rtsp://me:p@w@host/", "rtsp://me:***@host/");
  shows("ftp://token@host/", "ftp://***@host/");
  shows("http://me:p/w@host/", "http://me:***@host/");
  shows("http://a:b@c/ and http://d:e@f/", "http://a:***@c/ and http://d:***@f/");
  shows("http://host:8080/a@b", "http://host:8080/a@b");
  shows("'http://host:8080': a@b", "'http://host:8080': a@b");
  shows("http://[::1]:80/a@b", "http://[::1]:80/a@b");
  shows("no URL, me@host", "no URL, me@host");
}

TEST(Url, TokensAreHidden) {
  EXPECT_EQ(redacted("https://host/a.m3u8?id=1&access_token=xyz&X-Amz-Signature=0f#part"),
            "https://host/a.m3u8?id=1&access_token=***&X-Amz-Signature=***#part");
  EXPECT_EQ(redacted("srt://host:1?passphrase=0123456789"), "srt://host:1?passphrase=***");
  EXPECT_EQ(redacted("gaussian:sigma=2 key=1"), "gaussian:sigma=2 key=1");
}

}  // namespace
}  // namespace vidconv
