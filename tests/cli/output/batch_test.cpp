// Several inputs in one process give the outputs of separate runs, whatever is broken, killed or
// oddly named.
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "src/options/option_table.h"
#include "src/options/output_key.h"
#include "src/process/worse_exit_code.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Batch : public CliTest {
 protected:
  // Runs a line of the shell in the test's folder.
  Result run(const std::string& line) const {
    return shell("cd " + path("") + "; " + vidconv() + " --kernel box " + line);
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path(to)).parent_path());
    fs::copy_file(path(from), path(to));
  }
  // Returns the files below one of the test's folders, by name, with their bytes.
  std::map<std::string, std::string> files(const std::string& folder) const {
    std::map<std::string, std::string> all;
    if (fs::exists(path(folder)))
      for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
        if (!entry.is_directory())
          all[entry.path().lexically_relative(path(folder))] = read_file(entry.path());
    return all;
  }
  std::set<std::string> names(const std::string& folder) const {
    std::set<std::string> all;
    for (const auto& [name, bytes] : files(folder)) all.insert(name);
    return all;
  }
  // Returns a file's number, which tells files of the same content apart.
  ino_t inode(const std::string& name) const {
    struct stat status {};
    stat(path(name).c_str(), &status);
    return status.st_ino;
  }
};

using FileNames = std::set<std::string>;

TEST_F(Batch, GivesTheBytesOfARunEach) {
  clip();
  make_clip("b.mkv", "-c:v ffv1");
  make_clip("c.avi", "-c:v mjpeg -vf scale=64:48");
  make_clip("d.mp4", "-c:v libx264 -pix_fmt yuv420p10le");
  const std::string inputs = "clip.mp4 b.mkv c.avi d.mp4 pattern:64x48#9";
  for (const char* name : {"clip", "b", "c", "d"})
    ASSERT_TRUE(succeeded(run(fmt::format("{0}.* -o {0}.alone.mp4", name))));
  ASSERT_TRUE(succeeded(run("pattern:64x48#9 -o pattern.alone.mp4")));
  for (const char* more : {"", "--jobs 3"}) {
    fs::remove_all(path("out"));
    const Result result = run(inputs + " -o out/{stem}.mp4 " + more);
    EXPECT_TRUE(succeeded(result));
    EXPECT_EQ(names("out"), (FileNames{"clip.mp4", "b.mp4", "c.mp4", "d.mp4", "pattern.mp4"}));
    for (const char* name : {"clip", "b", "c", "d", "pattern"})
      EXPECT_TRUE(read_file(path(fmt::format("out/{}.mp4", name))) ==
                  read_file(path(fmt::format("{}.alone.mp4", name))))
          << name;
    EXPECT_TRUE(has_line_with(result.err, {"vidconv: c.avi: 20 frames", "-> out/c.mp4"}));
    EXPECT_TRUE(has_line_with(result.err, {"vidconv: 5 of 5 files done"}));
  }
}

TEST_F(Batch, KilledAndStartedAgainMakesEachWholeFileOnce) {
  clip();
  FileNames whole;
  for (int i = 0; i < 97; ++i) {
    const std::string stem = fmt::format("{:02}", i);
    copy("clip.mp4", "in/" + stem + ".mp4");
    whole.insert(stem + ".mp4");
  }
  write_file(path("in/05broken.mp4"), "this is no video");
  write_file(path("in/20broken.mp4"), "");
  write_file(path("in/96broken.mp4"), read_file(path("clip.mp4")).substr(0, 1000));
  ASSERT_TRUE(succeeded(run("clip.mp4 -o alone.mp4 --preset ultrafast")));
  const std::string expected = read_file(path("alone.mp4"));

  const Arguments arguments{path("in"),   "--recursive", "-o",       path("out/{stem}.mp4"),
                            "--kernel",   "box",         "--preset", "ultrafast",
                            "--skip-done"};
  std::map<std::string, ino_t> made;
  for (const char* reached : {"/17.mp4: 20 frames", "/41.mp4: 20 frames"}) {
    Process process(command(arguments));
    ASSERT_TRUE(process.wait_for_stderr(reached, std::chrono::seconds(60)));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().exit_code, 128 + SIGKILL);
    for (const auto& [name, bytes] : files("out")) {
      EXPECT_TRUE(whole.contains(name)) << name;
      EXPECT_TRUE(bytes == expected) << name;
      const ino_t now = inode("out/" + name);
      EXPECT_EQ(made.try_emplace(name, now).first->second, now) << name << " was made again";
    }
  }
  EXPECT_GE(made.size(), 42U);
  EXPECT_LT(made.size(), 97U);

  const Result result = run_vidconv(arguments);
  EXPECT_EQ(result.exit_code, exit_input) << result.err;
  EXPECT_TRUE(
      has_line_with(result.err, {fmt::format("{} of 100 files done", 97 - made.size()),
                                 fmt::format("{} had been done before", made.size()), "3 failed"}));
  for (const char* broken : {"05broken.mp4: ", "20broken.mp4: ", "96broken.mp4: "})
    EXPECT_TRUE(has_line_with(result.err, {broken, "[input-unreadable]"})) << result.err;
  EXPECT_EQ(names("out"), whole);
  for (const auto& [name, bytes] : files("out")) EXPECT_TRUE(bytes == expected) << name;
  for (const auto& [name, once] : made) EXPECT_EQ(inode("out/" + name), once) << name;

  EXPECT_TRUE(has_line_with(run_vidconv(arguments).err,
                            {"0 of 100 files done", "97 had been done before", "3 failed"}));
}

TEST_F(Batch, InterruptedLeavesWholeFilesOnly) {
  clip();
  for (const std::string& output : {path("out/{n}.mp4"), std::string("md5:")}) {
    const bool digests = output == "md5:";
    Process process(command({path("clip.mp4"), "pattern:320x240#1000000", path("clip.mp4"), "-o",
                             output, "--kernel", "box", "--progress", "json"}));
    ASSERT_TRUE(process.wait_for_stderr("clip.mp4: 20 frames", std::chrono::seconds(60)));
    ASSERT_TRUE(process.wait_for_stderr("\"ended\":1", std::chrono::seconds(60)));
    process.signal(SIGINT);
    const Result result = process.wait();
    EXPECT_EQ(result.exit_code, exit_interrupted) << result.err;
    EXPECT_TRUE(has_line_with(
        result.err, {"pattern:320x240#1000000: interrupted: there is no output [interrupted]"}));
    EXPECT_TRUE(has_line_with(result.err, {"1 of 3 files done", "1 failed", "1 not begun"}));
    EXPECT_EQ(split_lines(result.out).size(), digests ? 21U : 0U);
    EXPECT_EQ(result.out.find("pattern"), result.out.npos);
  }
  EXPECT_EQ(names("out"), FileNames{"1.mp4"});
}

TEST_F(Batch, RefusesBeforeAnythingIsDone) {
  clip();
  for (const char* to : {"a.mp4", "b.mp4", "d/a.mkv", "in/a.mp4", "in/s/a.mp4", "...mp4"})
    copy("clip.mp4", to);
  fs::create_symlink("in", path("to"));
  fs::create_directory(path("empty"));
  write_file(path("list"), "\n\n");
  const auto before = files("");
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"a.mp4 d/a.mkv -o out/{stem}.mp4", {"out/a.mp4", "output of 'a.mp4' too", "{n}"}},
           {"a.mp4 a.mp4 -o out/{name}.mp4", {"output of 'a.mp4' too"}},
           {"a.mp4 b.mp4 -o out/x.mp4", {"--output", "out/x.mp4", "several inputs", "{stem}"}},
           {"a.mp4 b.mp4 -o out/{stme}.mp4", {"{stme}", "did you mean 'stem'"}},
           {"a.mp4 b.mp4 -o out/{stem}{.mp4", {"brace", "{{"}},
           {"a.mp4 b.mp4 -o out/{stem}}.mp4", {"brace", "{{"}},
           {"...mp4 b.mp4 -o {stem}/x.mp4", {"{stem}", "'...mp4'", "{n}"}},
           {"a.mp4 b.mp4 -o {name}", {"a.mp4", "an input"}},
           {"a.mp4 b.mp4 -o ./{stem}.mp4 -y", {"a.mp4", "an input"}},
           {"in/a.mp4 b.mp4 -o to/{stem}.mp4 -y", {"to/a.mp4", "an input"}},
           {"a.mp4 in/a.mp4 -o x.{n}.mp4 --stats {stem}.json", {"a.json", "too"}},
           {"a.mp4 b.mp4 -o {stem}.json --stats {stem}.json --format mp4", {"a.json", "too"}},
           {"a.mp4 b.mp4 -o null: --stats r.json", {"--stats", "r.json", "several inputs"}},
           {"a.mp4 b.mp4 -o null: --trace t.json", {"--trace", "t.json", "several inputs"}},
           {"a.mp4 b.mp4 -o -", {"--output", "-", "one video"}},
           {"in -o out/{stem}.mp4", {"in", "folder", "--recursive"}},
           {"a.mp4 b.mp4", {"--output"}},
           {"a.mp4 --null -o {n}.mp4", {"--null", "--files-from"}},
           {"a.mp4 b.mp4 -o {n}.x.mp4 --keep-going --fail-fast", {"--fail-fast", "--keep-going"}},
           {"a.mp4 b.mp4 -o {n}.x.mp4 --explain", {"--explain", "one input"}},
           {"a.mp4 b.mp4 -o {n}.x.mp4 --benchmark", {"--benchmark", "one input"}},
           {"a.mp4 b.mp4 -o null: --skip-done", {"--skip-done"}},
           {"- --files-from - -o {n}.x.mp4", {"--files-from", "standard input"}},
           {"--recursive empty -o {n}.mp4", {"no input"}},
           {"--files-from list -o {n}.mp4", {"no input"}},
           {"--files-from nowhere -o {n}.mp4", {"list", "nowhere", "No such file"}}}) {
    SCOPED_TRACE(line);
    const bool input = words[0] == "no input" || words[0] == "list";
    const bool is_input = words.back() == "an input";
    EXPECT_TRUE(refused(run(line),
                        input      ? exit_input
                        : is_input ? exit_output
                                   : exit_command_line,
                        words));
    EXPECT_TRUE(files("") == before);
    EXPECT_FALSE(fs::exists(path("out")));
  }
}

TEST_F(Batch, TakesOddNames) {
  clip();
  const std::vector<std::string> stems{"a\nb",      "\033[31mred",   "\xff\xfe", "-rf",
                                       "-",         "pattern:64x48", "http:x",   "a{n}b",
                                       "50%d full", "'\"$(x)`",      "a b\\",    ".hidden"};
  std::string list;
  FileNames wanted;
  for (const std::string& stem : stems) {
    const std::string name = stem == "-" ? stem : stem + ".mp4";
    copy("clip.mp4", "in/" + name);
    list += name + '\0';
    wanted.insert(stem + ".mkv");
  }
  write_file(path("in/list"), list);
  const std::string end = " --null -o ../out/{stem}.mkv --stats ../stats/{n}.json < list";
  const Result result =
      shell("cd " + path("in") + "; " + vidconv() + " --kernel box --files-from -" + end);
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(names("out"), wanted);
  EXPECT_EQ(result.err.find('\033'), result.err.npos);
  EXPECT_EQ(split_lines(result.err).size(), stems.size() + 1) << result.err;  // and the summary
  for (const auto& [name, report] : files("stats"))
    EXPECT_EQ(json::parse(report).at("exit_code"), 0);
  EXPECT_EQ(files("stats").size(), stems.size());
  // Names that look like options follow -- on the command line.
  EXPECT_TRUE(succeeded(shell("cd " + path("in") + "; " + vidconv() +
                              " --kernel box -o ../two/{stem}.mkv -- -rf.mp4 ./-")));
  EXPECT_EQ(names("two"), (FileNames{"-rf.mkv", "-.mkv"}));
}

TEST_F(Batch, KeepsFoldersBelowFolders) {
  clip();
  for (const char* name : {"in/a.mp4", "in/s/a.mp4", "in/s/t/B.MP4", "in/.hidden/a.mp4",
                           "in/.a.mp4", "elsewhere/c.mp4", "in/out/z.mp4"})
    copy("clip.mp4", name);
  write_file(path("in/notes.txt"), "notes");
  fs::create_symlink("../elsewhere", path("in/folder"));
  fs::create_symlink("../elsewhere/c.mp4", path("in/link.mp4"));
  const FileNames wanted{"x_a.mkv", "s/x_a.mkv", "s/t/x_B.mkv", "x_link.mkv", "x_clip.mkv"};
  for (const char* folder : {"in", "./in/", "$PWD/in"}) {
    fs::remove_all(path("in/out"));
    copy("clip.mp4", "in/out/z.mp4");  // in the outputs' folder, which is not searched
    const Result result = run(std::string(folder) + " clip.mp4 --recursive -o in/out/x_{stem}.mkv");
    EXPECT_TRUE(succeeded(result));
    EXPECT_TRUE(has_line_with(result.err, {"1 files are left out", "[left-out]"}));
    FileNames found = names("in/out");
    EXPECT_EQ(found.erase("z.mp4"), 1U);
    EXPECT_EQ(found, wanted);
  }
  // Inputs are numbered in the order of their names.
  fs::remove_all(path("in/out"));
  EXPECT_TRUE(succeeded(run("in --recursive -o {n}.mkv")));
  EXPECT_EQ(names("in").count("4.mkv"), 0U);
  EXPECT_TRUE(fs::exists(path("1.mkv")) && fs::exists(path("s/3.mkv")));
}

TEST_F(Batch, AnInputsNameIsNoMoreThanAName) {
  make_clip("a.y4m", "-pix_fmt yuv420p");
  for (const char* name : {"a1.y4m", "a%d.y4m", "null:.y4m", "md5:.y4m"}) copy("a.y4m", name);
  EXPECT_TRUE(refused(run("file:null:.y4m -o {stem}"), exit_output, {"./null:"}));
  EXPECT_TRUE(succeeded(run("file:null:.y4m file:md5:.y4m -o {stem} --format matroska")));
  EXPECT_TRUE(names("").contains("null:") && names("").contains("md5:"));
  // A "%d" in an output's name is for pictures.
  EXPECT_TRUE(refused(run("a%d.y4m -o {stem}.png --frames 1"), exit_command_line, {"%", "{n}"}));
  EXPECT_TRUE(succeeded(run("a%d.y4m -o {stem}.mkv")));
  EXPECT_TRUE(names("").contains("a%d.mkv"));
  EXPECT_TRUE(succeeded(run("a.y4m a%d.y4m a1.y4m -o p/{stem}-%d.png --frames 2")));
  EXPECT_EQ(names("p"),
            (FileNames{"a-1.png", "a-2.png", "a1-1.png", "a1-2.png", "a%d-1.png", "a%d-2.png"}));
  // Picture 11 of "a" would have the name of picture 1 of "a1".
  for (const char* inputs : {"a.y4m a1.y4m", "a1.y4m a.y4m"})
    EXPECT_TRUE(refused(run(std::string(inputs) + " -o q/{stem}%d.png"), exit_command_line,
                        {"pictures", "{stem}-%d.png"}));
  EXPECT_FALSE(fs::exists(path("q")));
}

TEST_F(Batch, AListThatIsAFolderIsSaidToBeOne) {
  fs::create_directory(path("in"));
  EXPECT_TRUE(refused(run("--files-from in -o {stem}.mkv"), exit_input, {"in", "it is a folder"}));
  EXPECT_TRUE(refused(run("--files-from none -o {stem}.mkv"), exit_input, {"none"}));
}

TEST_F(Batch, SkipsWhatIsDoneByTheSameOptionsFromTheSameInput) {
  clip();
  make_clip("b.mkv", "-c:v ffv1");
  write_file(path("k.txt"), "1 2 1\n");
  const std::string line = "clip.mp4 b.mkv -o {stem}.out.mp4 --kernel file:k.txt --skip-done ";
  const auto outcome = [&](const std::string& more, const std::string& count) {
    const Result result = run(line + more);
    if (more.find("-q") == more.npos) {
      EXPECT_TRUE(has_line_with(result.err, {count})) << more << result.err;
    }
    return result.exit_code;
  };
  const std::string made = "2 of 2 files done",
                    skipped = "0 of 2 files done, 2 had been done before";
  EXPECT_EQ(outcome("", made), 0);
  EXPECT_EQ(outcome("", skipped), 0);
  // Options for execution and reports do not matter.
  EXPECT_EQ(outcome("--device cpu --jobs 2 -q -y --slots 3 --stats - --progress json", ""), 0);
  EXPECT_EQ(outcome("--device cpu --jobs 2 --slots 3 --fail-fast", skipped), 0);
  // Outputs of other options are not taken for these, and not overwritten without -y.
  EXPECT_EQ(outcome("--crf 30", "2 failed"), exit_output);
  EXPECT_EQ(outcome("--kernel sobel", "2 failed"), exit_output);
  EXPECT_EQ(outcome("--frames 3", "2 failed"), exit_output);
  EXPECT_EQ(outcome("--frames 3 -y", made), 0);
  EXPECT_EQ(outcome("-y", made), 0);
  write_file(path("k.txt"), "1 3 1\n");
  EXPECT_EQ(outcome("", "2 failed"), exit_output);
  EXPECT_EQ(outcome("-y", made), 0);
  make_clip("b.mkv", "-c:v ffv1 -frames:v 5");
  EXPECT_EQ(outcome("-y", "1 of 2 files done, 1 had been done before"), 0);
  fs::resize_file(path("b.out.mp4"), 1000);
  EXPECT_EQ(outcome("-y", "1 of 2 files done, 1 had been done before"), 0);
  fs::remove(path("clip.out.mp4"));
  EXPECT_EQ(outcome("", "1 of 2 files done, 1 had been done before"), 0);
  // All outputs of several inputs carry the mark, also those made without --skip-done.
  EXPECT_TRUE(succeeded(run("clip.mp4 b.mkv -o {stem}.more.mp4")));
  EXPECT_TRUE(has_line_with(run("clip.mp4 b.mkv -o {stem}.more.mp4 --skip-done").err, {skipped}));
  // Numbered pictures are recognized; some inputs cannot be.
  EXPECT_TRUE(succeeded(run("clip.mp4 b.mkv -o p/{stem}/%d.png --frames 3 --skip-done")));
  EXPECT_TRUE(has_line_with(run("clip.mp4 b.mkv -o p/{stem}/%d.png --frames 3 --skip-done").err,
                            {skipped}));
  EXPECT_TRUE(has_line_with(run("- -o {stem}.y4m --format-in matroska --skip-done < b.mkv").err,
                            {"--skip-done", "[no-effect]"}));
}

TEST_F(Batch, ByContentAMiddleThatHasChangedIsSeen) {
  make_clip("a.y4m", "-pix_fmt yuv420p");
  ASSERT_GT(fs::file_size(path("a.y4m")), 3U << 16);
  const auto change_middle = [&] {
    const fs::file_time_type time = fs::last_write_time(path("a.y4m"));
    std::string bytes = read_file(path("a.y4m"));
    bytes[bytes.size() / 2] ^= 1;
    write_file(path("a.y4m"), bytes);
    fs::last_write_time(path("a.y4m"), time);
  };
  const std::string line = "a.y4m -o {stem}.mkv --codec ffv1 -y --skip-done",
                    made = "1 of 1 files done", skipped = "0 of 1 files done, 1 had been";
  EXPECT_TRUE(has_line_with(run(line).err, {made}));
  change_middle();
  EXPECT_TRUE(has_line_with(run(line + "=times").err, {skipped}));  // as the manual says
  EXPECT_TRUE(has_line_with(run(line + "=content").err, {made}));
  EXPECT_TRUE(has_line_with(run(line + "=content").err, {skipped}));
  change_middle();
  EXPECT_TRUE(has_line_with(run(line + "=content").err, {made}));
  fs::last_write_time(path("a.y4m"), fs::file_time_type::clock::now());
  EXPECT_TRUE(has_line_with(run(line + "=content").err, {skipped}));
  EXPECT_TRUE(refused(run(line + "=size"), exit_command_line, {"--skip-done"}));
}

TEST_F(Batch, DamagedOutputsStayDamaged) {
  clip();
  ffmpeg("-i " + path("clip.mp4") + " -c copy " + path("whole.mkv"));
  const std::string whole = read_file(path("whole.mkv"));
  write_file(path("cut.mkv"), whole.substr(0, whole.size() * 2 / 3));
  const std::string line = "clip.mp4 cut.mkv -o {stem}.out.mp4 --skip-done";
  EXPECT_EQ(run(line).exit_code, exit_damaged);
  const Result again = run(line);
  EXPECT_EQ(again.exit_code, exit_damaged);
  EXPECT_TRUE(has_line_with(again.err, {"2 had been done before"}));
}

TEST_F(Batch, OneFailureDoesNotStopTheOthersUnlessItShall) {
  clip();
  write_file(path("broken.mp4"), "broken");
  write_file(path("there.2.mp4"), "there");
  const std::string line = "broken.mp4 clip.mp4 clip.mp4 -o there.{n}.mp4 ";
  const Result result = run(line);
  EXPECT_EQ(result.exit_code, exit_output);  // worse than the broken input's code
  EXPECT_TRUE(has_line_with(result.err, {"clip.mp4: ", "there.2.mp4", "[output-exists]"}));
  EXPECT_TRUE(has_line_with(result.err, {"1 of 3 files done, 2 failed"}));
  EXPECT_TRUE(fs::exists(path("there.3.mp4")));
  fs::remove(path("there.3.mp4"));
  const Result first = run(line + "--fail-fast");
  EXPECT_EQ(first.exit_code, exit_input);
  EXPECT_TRUE(has_line_with(first.err, {"0 of 3 files done, 1 failed, 2 not begun"}));
  EXPECT_FALSE(fs::exists(path("there.3.mp4")));
}

TEST_F(Batch, DigestsSayWhoseTheyAre) {
  clip();
  make_clip("b.mkv", "-c:v ffv1");
  std::string expected;
  for (const char* name : {"clip.mp4", "b.mkv"})
    for (const std::string& digest : split_lines(run(std::string(name) + " -o md5:").out))
      expected += digest + " " + name + "\n";
  EXPECT_EQ(run("clip.mp4 b.mkv -o md5:").out, expected);
  const std::vector<std::string> lines = split_lines(expected);
  const std::vector<std::string> other =
      split_lines(run("b.mkv clip.mp4 -o md5: --jobs 2 --progress none").out);
  EXPECT_EQ(std::multiset(lines.begin(), lines.end()), std::multiset(other.begin(), other.end()));
  EXPECT_TRUE(succeeded(run("b.mkv clip.mp4 -o null:")));
}

TEST_F(Batch, ReportsOnEach) {
  clip();
  write_file(path("broken.mp4"), "broken");
  const Result lines = run("clip.mp4 broken.mp4 -o out/{stem}.mp4 --stats - --skip-done");
  EXPECT_EQ(lines.exit_code, exit_input);
  ASSERT_EQ(split_lines(lines.out).size(), 2U) << lines.out;
  const json done = json::parse(split_lines(lines.out)[0]);
  EXPECT_EQ(done.at("outcome"), "done");
  EXPECT_EQ(done.at("frames").at("written"), 20);
  EXPECT_EQ(done.at("output").at("name"), "out/clip.mp4");
  if (done.at("sandbox").at("landlock") > 0) {
    EXPECT_EQ(done.at("sandbox").at("in_force")[0], "files");
  }
  EXPECT_EQ(json::parse(split_lines(lines.out)[1]).at("error").at("class"), "input-unreadable");
  const Result again = run("clip.mp4 -o out/{stem}.mp4 --stats - --skip-done");
  EXPECT_EQ(json::parse(again.out).at("outcome"), "skipped");

  EXPECT_EQ(run("clip.mp4 broken.mp4 -o null: --stats r/{stem}.json --trace r/{n}.trace").exit_code,
            exit_input);
  EXPECT_EQ(names("r"), (FileNames{"clip.json", "broken.json", "1.trace", "2.trace"}));
  EXPECT_EQ(json::parse(read_file(path("r/broken.json"))).at("outcome"), "failed");
  // A report that cannot be written is a failure.
  const Result closed = shell("cd " + path("") + "; " + vidconv() +
                              " clip.mp4 clip.mp4 -o null: --kernel box --stats - > /dev/full");
  EXPECT_EQ(closed.exit_code, exit_output) << closed.err;
}

TEST(WorseExitCode, HasAnOrder) {
  const int order[] = {0, 7, 3, 4, 2, 5, 6, 1, 130};
  for (std::size_t i = 0; i < std::size(order); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(worse_exit_code(order[i], order[j]), order[i]);
      EXPECT_EQ(worse_exit_code(order[j], order[i]), order[i]);
    }
}

// An option that bears on the bytes but is not in the key would make other outputs pass for done.
TEST(OutputKey, KnowsEveryOption) {
  FileNames without;
  for (const OptionText& option : option_table())
    if (!bears_on_bytes(option.names.back())) without.insert(option.names.back());
  EXPECT_EQ(without, (FileNames{"INPUT",
                                "--output",
                                "--kernel",
                                "--files-from",
                                "--null",
                                "--recursive",
                                "--skip-done",
                                "--keep-going",
                                "--watch",
                                "--fail-fast",
                                "--timeout",
                                "--insecure",
                                "--max-pixels",
                                "-y",
                                "--strict",
                                "--device",
                                "--variant",
                                "--decoder",
                                "--slots",
                                "--jobs",
                                "--no-sandbox",
                                "--progress",
                                "--quiet",
                                "--realtime",
                                "--stats",
                                "--trace",
                                "--verify",
                                "--measure",
                                "--measure-log",
                                "--metrics",
                                "--report",
                                "--audit",
                                "--show-originals",
                                "--resume"}));
}

}  // namespace
}  // namespace vidconv::test
