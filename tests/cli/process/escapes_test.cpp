// Names, tags and file contents that would control a terminal or forge a line are escaped.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

// The name contains colours, a window title, forged lines of ours and of --progress json, C1
// controls, a change of direction, and invalid UTF-8.
constexpr std::string_view hostile_name =
    "a\x1b[31m\x1b]0;title\x07\r\nvidconv: done\n{\"schema\":1,\"frame\":7}\n\x7f\xc2\x9b"
    "2J\xe2\x80\xae\xff\xc3.y4m";

// Expects only lines of ours, each in one piece and without invisible characters.
void expect_harmless(const std::string& text) {
  for (const std::string& line : split_lines(text)) {
    if (line.starts_with('{'))
      EXPECT_TRUE(json::accept(line) && json::parse(line).at("frame") != 7) << line;
    else
      EXPECT_TRUE(line.starts_with("vidconv: ") && line != "vidconv: done") << line;
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7F) << line;
  }
}

class Escapes : public CliTest {
 protected:
  std::string hostile() const { return path(hostile_name); }
};

TEST_F(Escapes, AreTextWhereverTheyAreSaid) {
  ffmpeg("-i " + clip() + " -an " + path("in.y4m"));
  std::filesystem::rename(path("in.y4m"), hostile());
  const Arguments base{"--kernel", "box", "--progress", "json"};
  const auto run = [&](Arguments arguments) {
    arguments.insert(arguments.end(), base.begin(), base.end());
    const Result result = run_vidconv(arguments);
    EXPECT_NE(result.err.find("\\u001b[31m"), std::string::npos) << result.err;
    expect_harmless(result.err);
    return result;
  };
  EXPECT_EQ(run({hostile() + "x", "-o", "null:"}).exit_code, exit_input);
  EXPECT_EQ(run({hostile(), "-o", hostile()}).exit_code, exit_output);
  EXPECT_EQ(run({hostile(), "-o", hostile() + "/x"}).exit_code, exit_output);
  EXPECT_EQ(run({"pattern:" + std::string(hostile_name), "-o", "null:"}).exit_code,
            exit_command_line);
  EXPECT_EQ(run({hostile(), "-o", "null:", "--kernel", "file:" + hostile()}).exit_code,
            exit_command_line);
  EXPECT_EQ(run({hostile(), "-o", "null:", "--kernel", std::string(hostile_name)}).exit_code,
            exit_command_line);
  EXPECT_EQ(run({hostile(), "-o", "null:", "--" + std::string(hostile_name)}).exit_code,
            exit_command_line);
  EXPECT_EQ(run({hostile(), "-o", "null:", "--codec", std::string(hostile_name)}).exit_code,
            exit_command_line);
  // The summary names the output.
  EXPECT_TRUE(succeeded(run({hostile(), "-o", path("b") + std::string(hostile_name)})));
  const Result explained =
      run_vidconv({hostile(), "-o", "null:", "--kernel", "box", "--explain", "-q"});
  EXPECT_TRUE(has_line_with(explained.out, {"input ", "\\u001b[31m", "128x72"}));
  EXPECT_EQ(explained.out.find('\x1b'), std::string::npos);
}

TEST_F(Escapes, LeaveReportsValid) {
  write_file(hostile(), "YUV4MPEG2 W16 H16 C\x1b[31m\xff\nFRAME\n");
  const Result result = run_vidconv({hostile(), "-o", "null:", "--kernel", "box", "--stats",
                                     path("stats.json"), "--trace", path("trace.json")});
  EXPECT_TRUE(refused(result, exit_input, {"C\\u001b[31m\\xff"}));
  EXPECT_EQ(json::parse(read_file(path("stats.json"))).at("outcome"), "failed");
  const Result printed = run_vidconv({hostile(), "-o", "null:", "--kernel", "box", "--stats", "-"});
  EXPECT_TRUE(json::accept(printed.out)) << printed.out;
  EXPECT_EQ(printed.out.find_first_of("\x1b\x7f\r"), std::string::npos);
}

TEST_F(Escapes, LongLinesOfKernelFilesAreCut) {
  for (const std::string& line :
       {std::string(1 << 20, '9'), std::string(1 << 20, '\x1b'), "1 2 " + std::string(1 << 20, 'x'),
        std::string(500, ' ') + "nonsense" + std::string(1 << 20, '\x9b')}) {
    write_file(path("k.txt"), "1 2 3\n" + line + "\n");
    const Result result =
        run_vidconv({"pattern:16x16#1", "-o", "null:", "--kernel", "file:" + path("k.txt")});
    EXPECT_TRUE(refused(result, exit_command_line, {"k.txt, line 2", "[filter-spec]"}));
    EXPECT_LT(result.err.size(), 1000U);
    expect_harmless(result.err);
  }
}

// Tags of a file, and FFmpeg's log about it, are escaped.
TEST_F(Escapes, OfStreamsAndLogsAreText) {
  std::string ass =
      "[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
      "Dialogue: 0,0:00:00.00,0:00:01.00,Default,x\n";
  write_file(path("in.ass"), ass);
  ffmpeg("-i " + clip() + " -i " + path("in.ass") +
         " -map 0 -map 1 -c copy -metadata:s:s:0 title=$'t\\e[31m\\n{\"frame\":7}' "
         "-metadata:s:s:0 language=$'\\e[3' -attach " +
         path("in.ass") + " -metadata:s:3 mimetype=text/x -metadata:s:3 filename=$'f\\e[31m\\nx' " +
         path("in.mkv"));
  for (const std::string out : {"out.y4m", "out.mp4", "out.avi", "out.ts"}) {
    const Result result = run_vidconv({path("in.mkv"), "-o", path(out), "--kernel", "box"});
    EXPECT_TRUE(succeeded(result));
    expect_harmless(result.err);
  }
}

}  // namespace
}  // namespace vidconv::test
