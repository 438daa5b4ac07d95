// No file that a run reads is overwritten, and no two of its outputs are one file, whatever their
// names.
#include <map>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class RunFiles : public CliTest {
 protected:
  RunFiles() {
    run("pattern:64x48#4 -o u.mp4");
    run("pattern:64x48#4 -o i.y4m");
    run("pattern:64x48:gray#4 -o f%03d.png");
    write_file(path("k.txt"), "1 2 1\n");
    write_file(path("k.pgm"), "P5 1 1 255\n\x80");
    std::filesystem::create_hard_link(path("u.mp4"), path("hard.mp4"));
    std::filesystem::create_symlink("u.mp4", path("soft.mp4"));
    std::filesystem::create_directory(path("d"));
    std::filesystem::create_directory_symlink("..", path("d/up"));
  }

  Result run(const std::string& arguments) const {
    return shell("cd " + path("") + "; exec " + vidconv() + " --kernel box " + arguments);
  }

  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      if (entry.is_regular_file()) all[entry.path().filename()] = read_file(entry.path());
    return all;
  }

  void expect_refused(const std::string& arguments, Exit code,
                      const std::vector<std::string>& words) const {
    SCOPED_TRACE(arguments);
    const auto before = contents();
    EXPECT_TRUE(refused(run(arguments), code, words));
    EXPECT_TRUE(contents() == before);
  }
};

TEST_F(RunFiles, InputIsNeverWritten) {
  for (const std::string line : {"u.mp4 -o u.mp4",
                                 "u.mp4 -o ./u.mp4",
                                 "u.mp4 -o d/up/u.mp4",
                                 "d/../u.mp4 -o u.mp4",
                                 "u.mp4 -o hard.mp4",
                                 "u.mp4 -o soft.mp4",
                                 "hard.mp4 -o soft.mp4",
                                 "file:u.mp4 -o u.mp4",
                                 "file:$PWD/u.mp4 -o u.mp4",
                                 "file://$PWD/u.mp4 -o u.mp4",
                                 "- -o i.y4m < i.y4m",
                                 "- -o u.mp4 < u.mp4",
                                 "/dev/stdin -o i.y4m < i.y4m",
                                 "/proc/self/fd/0 -o u.mp4 < u.mp4",
                                 "/dev/fd/7 -o u.mp4 7< u.mp4",
                                 "- -o soft.mp4 < hard.mp4",
                                 "f%03d.png -o f%03d.png",
                                 "f%03d.png -o f002.png",
                                 "f%03d.png -o d/up/f003.png",
                                 "i.y4m -o i.y4m --video all",
                                 "u.mp4 -o hard.mp4 --gallery"})
    expect_refused(line + " -y", exit_output, {"it is the input", "[output-is-input]"});
  expect_refused("f001.png -o f%03d.png -y", exit_output, {"f001.png", "it is the input"});
  for (const std::string report : {"--stats", "--trace"})
    for (const std::string name : {"u.mp4", "./hard.mp4", "soft.mp4", "d/up/u.mp4"})
      for (const std::string more : {"", " -y"})
        expect_refused("file:u.mp4 -o o.mp4 " + report + " " + name + more, exit_output,
                       {report, name, "it is the input", "[output-is-input]"});
  expect_refused("f%03d.png -o o.mp4 --stats f004.png", exit_output, {"it is the input"});
}

// A playlist's files are known only when it is opened, perhaps after the output was.
TEST_F(RunFiles, PartsOfTheInputAreNeverWritten) {
  run("pattern:64x48#50 -o p1.ts");
  run("pattern:64x48#50 -o p2.ts");
  write_file(path("p.m3u8"),
             "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\np1.ts\n#EXTINF:2,\np2.ts\n"
             "#EXT-X-ENDLIST\n");
  write_file(path("p.ffconcat"), "ffconcat version 1.0\nfile p1.ts\nfile p2.ts\n");
  for (const std::string list : {"p.m3u8", "p.ffconcat"})
    for (const std::string part : {"p1.ts", "p2.ts", list.c_str()})
      expect_refused(list + " -y --format mpegts -o " + part, exit_output,
                     {part, "the input", "[output-is-input]"});
}

TEST_F(RunFiles, KernelsAreNeverWritten) {
  for (const std::string kernel : {"k.txt", "k.pgm"}) {
    const std::string line = "u.mp4 -y --kernel file:" + kernel + " -o ";
    const std::vector<std::string> words{"it is the file of a filter", "[output-is-input]"};
    expect_refused(line + "o.mp4 --stats d/up/" + kernel, exit_output, words);
    expect_refused(line + "o.mp4 --trace " + kernel, exit_output, words);
    expect_refused(line + kernel + " --format yuv4mpegpipe", exit_output, words);
  }
  expect_refused("u.mp4 -y --kernel file:f003.png -o f%03d.png", exit_output,
                 {"f003.png", "it is the file of a filter"});
}

TEST_F(RunFiles, OutputsAreNotOneFile) {
  for (const std::string name : {"o.mp4", "./o.mp4", "d/up/o.mp4", "$PWD/o.mp4"})
    expect_refused("u.mp4 -o o.mp4 --stats " + name, exit_command_line,
                   {"--stats", "it is the output too"});
  expect_refused("u.mp4 -o o.mp4 --stats s.json --trace ./s.json", exit_command_line,
                 {"--trace", "it is the report of --stats too"});
  // The clash shows when the third picture comes; there is a report of it.
  EXPECT_TRUE(refused(run("i.y4m -o o%d.png --stats o3.png"), exit_command_line,
                      {"o3.png", "it is the report of --stats too"}));
  EXPECT_FALSE(std::filesystem::exists(path("o1.png")));
  EXPECT_TRUE(
      refused(run("i.y4m -o - --stats s.json > s.json"), exit_command_line, {"standard output"}));
  EXPECT_TRUE(refused(run("i.y4m -o o.y4m -y > o.y4m"), exit_command_line, {"standard output"}));
  run("i.y4m -o o.y4m -y --trace log 2> log");
  EXPECT_TRUE(has_line_with(read_file(path("log")), {"it is standard output or error too"}));
  EXPECT_TRUE(succeeded(run("i.y4m -o null: > both 2>&1")));
  EXPECT_TRUE(
      succeeded(run("i.y4m -o /dev/null --format raw --stats /dev/null --trace /dev/null")));
}

TEST_F(RunFiles, ReportsReplaceNothingButReports) {
  for (const std::string report : {"--stats", "--trace"}) {
    write_file(path("r.json"), "{\"precious\": 1}");
    expect_refused("i.y4m -o o.y4m " + report + " r.json", exit_output,
                   {report, "r.json", "exists already", "[output-exists]"});
    EXPECT_TRUE(succeeded(run("i.y4m -o null: -y " + report + " r.json")));
    const std::string first = read_file(path("r.json"));
    EXPECT_EQ(first.find("precious"), first.npos);
    EXPECT_TRUE(succeeded(run("i.y4m -o null: --frames 2 " + report + " r.json")));
    EXPECT_NE(read_file(path("r.json")), first);
    write_file(path("r.json"), "");
    EXPECT_TRUE(succeeded(run("i.y4m -o null: " + report + " r.json")));
    EXPECT_FALSE(read_file(path("r.json")).empty());
    std::filesystem::remove(path("r.json"));
  }
}

TEST_F(RunFiles, ReportsAreCheckedBeforeTheWork) {
  for (const std::string report : {"--stats", "--trace"})
    for (const std::string name : {"/nodir/s.json", "d", "/proc/s.json"})
      expect_refused("pattern:64x48#1000000 -o o.y4m " + report + " " + name, exit_output,
                     {report, name, "[output-unwritable]"});
}

}  // namespace
}  // namespace vidconv::test
