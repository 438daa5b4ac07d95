#include "pipeline/base/printable.h"

#include <gtest/gtest.h>

namespace vidconv {
namespace {

TEST(Printable, LeavesTextsAlone) {
  for (const std::string text : {"", "a.mp4 \\n \"x\"", "f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesWhatSteersAsJsonDoes) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(printable(std::string_view("\x1b]0;x\x07\0", 6)), "\\u001b]0;x\\u0007");
  EXPECT_EQ(printable("\x7f|\xc2\x80|\xc2\x9b|\xc2\x9f|\xc2\xa0"),
            "\\u007f|\\u0080|\\u009b|\\u009f|\xc2\xa0");
  EXPECT_EQ(printable("\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\xa8|\xd8\x9c"),
            "\\u202e|\\u2066|\\u2028|\\u061c");
  EXPECT_EQ(printable("a\nb\x1b", "\n"), "a\nb\\u001b");
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\x9b"), "a\\x9b");                    // C1 as a byte
  EXPECT_EQ(printable("\xc3"), "\\xc3");                      // cut short
  EXPECT_EQ(printable("\xc1\x8a"), "\\xc1\\x8a");             // a newline in two bytes
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");    // in three
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");    // half a surrogate
  EXPECT_EQ(printable("\xe2\x82\x1b"), "\\xe2\\x82\\u001b");  // the next byte is looked at
}

TEST(Printable, EveryByteAloneIsHarmless) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string shown = printable(std::string(1, static_cast<char>(byte)));
    for (const char c : shown) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << byte;
  }
}

TEST(Printable, ShortensWithoutCuttingCharacters) {
  EXPECT_EQ(shortened("abc", 10), "abc");
  EXPECT_EQ(shortened("0123456789abcdef", 12), "012345...def");
  std::string euros;
  for (int i = 0; i < 100; ++i) euros += "\xe2\x82\xac";
  for (std::size_t most = 10; most < 60; ++most) {
    for (const std::string& text : {shortened(euros, most), excerpt(euros, 5 * most, most)}) {
      EXPECT_EQ(printable(text), text);
      EXPECT_LE(text.size(), most + 2) << most;
    }
  }
}

TEST(Printable, ShowsWhatStandsAround) {
  const std::string text = std::string(500, 'a') + "here" + std::string(500, 'b');
  EXPECT_EQ(excerpt(text, 502, 26), "...aaaaaaaaherebbbbbbbb...");
  EXPECT_EQ(excerpt(text, 0, 26), std::string(20, 'a') + "...");
  EXPECT_EQ(excerpt(text, text.size(), 26), std::string("...").append(20, 'b'));
  EXPECT_EQ(excerpt("short", 3, 26), "short");
}

}  // namespace
}  // namespace vidconv
