// An output gets its name complete or not at all, whoever else uses the folder and whatever the
// file system cannot do.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using std::chrono::milliseconds;

// A file system without O_TMPFILE.
const std::string named_only = "O_TMPFILE=95";
const std::string endless = "pattern:128x72#1000000", short_one = "pattern:64x48#5";

class OutputFile : public CliTest {
 protected:
  using Names = std::set<std::string>;
  Names names() const {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      names.insert(entry.path().filename());
    return names;
  }

  // Returns a line for the shell: vidconv with the system calls that `refused` lists failing.
  std::string filter(const std::string& arguments, const std::string& refused = "") const {
    return "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD=" VIDCONV_FAULTS
           " VIDCONV_REFUSED=" +
           refused + " exec " + vidconv() + " " + arguments + " --kernel box";
  }
  Result run(const std::string& arguments, const std::string& refused = "") const {
    return shell("cd " + path("") + "; " + filter(arguments, refused));
  }
  mode_t mode_of(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(stat(path(name).c_str(), &status), 0) << name;
    return status.st_mode & 07777;
  }

  // Starts an endless run on a file system without O_TMPFILE, and returns when it has begun to
  // write so many files.
  std::unique_ptr<Process> begin(const std::string& output, std::size_t files) const {
    auto process = std::make_unique<Process>(Arguments{
        "bash", "-c", "cd " + path("") + "; " + filter(endless + " " + output, named_only)});
    for (int i = 0; names().size() < files; ++i) {
      EXPECT_LT(i, 6000);
      std::this_thread::sleep_for(milliseconds(10));
    }
    return process;
  }

  // Runs vidconv, and `meanwhile` when the output has been opened.
  Result run_slowly(const std::string& arguments, const std::string& meanwhile,
                    const std::string& refused = "") const {
    return shell("cd " + path("") +
                 "; ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -f "
                 "yuv4mpegpipe -pix_fmt yuv420p - | { head -c 10000; " +
                 until_written_to(path("")) + meanwhile + "; cat; } | (" +
                 filter("- " + arguments, refused) + ")");
  }
};

TEST_F(OutputFile, NothingIsLeftOfAKilledRun) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::minstd_rand chance(seed);
  for (int i = 0; i < 50; ++i) {
    const std::string name = std::array{"out.mkv", "out.mp4", "out.y4m", "%d.png"}[i % 4];
    if (i % 2 == 0) write_file(path(name), "precious");
    const Names before = names();
    Process process(
        command({endless, "-o", path(name), "-y", "--kernel", "box", "--stats", path("s.json")}));
    std::this_thread::sleep_for(milliseconds(chance() % 150));
    process.signal(SIGKILL);
    process.wait();
    EXPECT_EQ(names(), before);
    if (i % 2 == 0) {
      EXPECT_EQ(read_file(path(name)), "precious");
    }
  }
}

TEST_F(OutputFile, NextRunRemovesWhatAKilledOneLeft) {
  for (const std::string output : {"-o out.mkv", "-o %03d.png"}) {
    SCOPED_TRACE(output);
    {
      const auto process = begin(output, 1);
      process->signal(SIGKILL);
      process->wait();
    }
    const Names left = names();
    EXPECT_FALSE(left.empty());
    for (const std::string& name : left) {
      EXPECT_TRUE(name.ends_with(".part")) << name;
    }
    EXPECT_TRUE(succeeded(run(short_one + " -o other.mkv")));
    std::filesystem::remove(path("other.mkv"));
    EXPECT_EQ(names(), left);  // they belong to another output
    EXPECT_TRUE(succeeded(run("pattern:64x48#1 -y " + output)));
    EXPECT_EQ(names().size(), 1U);
    std::filesystem::remove(path(*names().begin()));
  }
}

TEST_F(OutputFile, NextRunLeavesWhatIsStillWritten) {
  const auto process = begin("-o out.mkv", 1);
  EXPECT_TRUE(succeeded(run(short_one + " -o out.mkv", named_only)));
  process->signal(SIGINT);
  EXPECT_TRUE(refused(process->wait(), exit_output, {"exists already"}));
  EXPECT_EQ(names(), Names{"out.mkv"});
  EXPECT_EQ(frame_times(path("out.mkv")).size(), 5U);
}

// A picture of a set is no leftover while the set is being written. A file that appears meanwhile
// stays, and none of the set is left beside it.
TEST_F(OutputFile, NextRunLeavesSetsThatAreStillWritten) {
  const auto process = begin("-o %03d.png", 3);
  EXPECT_TRUE(succeeded(run("pattern:64x48#1 -o 002.png", named_only)));
  EXPECT_GT(names().size(), 2U);
  process->signal(SIGINT);
  EXPECT_TRUE(refused(process->wait(), exit_output, {"002.png", "exists already"}));
  EXPECT_EQ(names(), Names{"002.png"});
}

TEST_F(OutputFile, PlantedLinksAreNotFollowed) {
  write_file(path("victim"), "precious");
  const std::string planted = path("out.mkv.0000000000000000.part");
  std::filesystem::create_symlink(path("victim"), planted);
  for (const std::string more : {"", " -y"})
    EXPECT_TRUE(refused(run(short_one + " -o out.mkv" + more, named_only + ",random=0"),
                        exit_output, {"out.mkv", "File exists"}));
  EXPECT_EQ(read_file(path("victim")), "precious");
  EXPECT_EQ(names(), (Names{"victim", "out.mkv.0000000000000000.part"}));
}

// Two processes with the same process ID, as in two containers, write to one folder.
TEST_F(OutputFile, TwoWritersDoNotMix) {
  const std::string alone = "unshare --user --map-root-user --pid --fork --kill-child ";
  if (shell(alone + "true").exit_code != 0) GTEST_SKIP() << "name spaces are not allowed here";
  for (const std::string kernel : {"box", "sobel"})
    EXPECT_TRUE(succeeded(
        run("pattern:320x180#60 --kernel " + kernel + " -o " + kernel + ".y4m", named_only)));
  for (int i = 0; i < 3; ++i) {
    const auto writer = [&](const std::string& kernel) {
      return "(export VIDCONV_REFUSED=" + named_only + " LD_PRELOAD=" VIDCONV_FAULTS "; " + alone +
             vidconv() + " pattern:320x180#60 --kernel " + kernel + " --kernel box -y -o " +
             path("out.y4m") + ")";
    };
    EXPECT_TRUE(succeeded(shell(writer("box") + " & " + writer("sobel") + " && wait $! && wait")));
    const std::string out = read_file(path("out.y4m"));
    EXPECT_TRUE(out == read_file(path("box.y4m")) || out == read_file(path("sobel.y4m")));
  }
}

// Whatever call fails, a file that appears meanwhile is not overwritten without -y.
TEST_F(OutputFile, NoRefusalLeadsToOverwriting) {
  for (const std::string step : {"", "linkat", "renameat2", "linkat,link", "renameat2,link"})
    for (const std::string code : {"22", "95", "38"})
      for (const std::string tmpfile : {"", "O_TMPFILE=95,"}) {
        std::string list = tmpfile;
        for (std::size_t at = 0; at < step.size();) {
          const std::size_t end = std::min(step.find(',', at), step.size());
          list += step.substr(at, end - at) + "=" + code + ",";
          at = end + 1;
        }
        SCOPED_TRACE(list);
        const Result result = run_slowly("-o out.y4m", "echo -n precious > out.y4m", list);
        EXPECT_TRUE(refused(result, exit_output, {"out.y4m"}));
        EXPECT_EQ(read_file(path("out.y4m")), "precious");
        EXPECT_EQ(names(), Names{"out.y4m"});
        std::filesystem::remove(path("out.y4m"));
        if (!tmpfile.empty() && step.find("link") == step.npos) {
          EXPECT_TRUE(succeeded(run(short_one + " -o out.y4m", list)));  // by another step
          std::filesystem::remove(path("out.y4m"));
        }
      }
}

TEST_F(OutputFile, WhatCannotBeSyncedFails) {
  for (const std::string name : {"out.mkv", "out.y4m", "out.png"})
    for (const auto& [code, word] :
         {std::pair{"5", "Input/output error"}, {"28", "No space left on device"}}) {
      SCOPED_TRACE(name);
      write_file(path(name), "precious");
      const std::string one = "pattern:64x48#1 -y -o ";
      EXPECT_TRUE(
          refused(run(one + name, std::string("fsync=") + code), exit_output, {name, word}));
      EXPECT_EQ(read_file(path(name)), "precious");
      // The file is complete and has its name by then.
      EXPECT_TRUE(refused(run(one + name, std::string("fsync\\ folder=") + code), exit_output,
                          {name, "folder", word}));
      EXPECT_NE(read_file(path(name)), "precious");
      EXPECT_TRUE(succeeded(run(one + name, "fsync=22")));  // the file system has no fsync()
      EXPECT_EQ(names(), Names{name});
      std::filesystem::remove(path(name));
    }
  EXPECT_TRUE(refused(run(short_one + " -o - > out.y4m", "fsync=5"), exit_output,
                      {"standard output", "Input/output error"}));
}

TEST_F(OutputFile, IsOnTheDiskBeforeItHasItsName) {
  const std::string calls = "export VIDCONV_CALLS=" + path("calls") + "; ";
  const auto told = [&](const std::string& line) {
    EXPECT_TRUE(succeeded(shell(calls + line)));
    const std::string text = read_file(path("calls"));
    std::filesystem::remove(path("calls"));
    return text;
  };
  const std::string one = short_one + " -o " + path("out.mkv");
  EXPECT_EQ(told(filter(one)), "O_TMPFILE\nfsync\nlinkat\nfsync folder\n");
  EXPECT_EQ(told(filter(one + " -y")), "O_TMPFILE\nfsync\nlinkat\nrename\nfsync folder\n");
}

TEST_F(OutputFile, KeepsTheModeOfWhatItReplaces) {
  for (const std::string& list : {std::string(), named_only}) {
    ASSERT_TRUE(succeeded(shell("umask 027; " + filter(short_one + " -o " + path("a.mkv"), list))));
    EXPECT_EQ(mode_of("a.mkv"), 0640U);
    for (const mode_t mode : {0600U, 0604U, 0444U}) {
      ASSERT_EQ(chmod(path("a.mkv").c_str(), mode), 0);
      EXPECT_TRUE(succeeded(run(short_one + " -y -o a.mkv", list)));
      EXPECT_EQ(mode_of("a.mkv"), mode);
    }
    std::filesystem::remove(path("a.mkv"));
  }
}

TEST_F(OutputFile, KeepsTheOwnerWhereItMay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  write_file(path("a.mkv"), "old");
  ASSERT_EQ(chown(path("a.mkv").c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(path("a.mkv").c_str(), 0660), 0);
  EXPECT_TRUE(succeeded(run(short_one + " -y -o a.mkv")));
  struct stat status {};
  ASSERT_EQ(stat(path("a.mkv").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534U);
  EXPECT_EQ(status.st_gid, 65534U);
  // Rights of one group must not pass to another.
  ASSERT_TRUE(succeeded(shell("chmod 777 " + path("") + "; chown 0:0 " + path("a.mkv"))));
  EXPECT_TRUE(succeeded(shell("cd " + path("") +
                              "; exec setpriv --reuid=65534 --regid=65534 --clear-groups " +
                              vidconv() + " pattern:64x48#5 -y -o a.mkv --kernel box")));
  EXPECT_EQ(mode_of("a.mkv"), 0600U);
}

TEST_F(OutputFile, NamesMayBeAsLongAsTheFileSystemLets) {
  for (const std::string& list : {std::string(), named_only})
    for (const std::string ending : {".mkv", ".y4m", ".png"}) {
      std::string name(255 - ending.size(), 'n');
      if (ending == ".mkv")  // characters of two bytes
        for (std::size_t i = 1; i + 1 < name.size(); i += 2) name.replace(i, 2, "\xC3\xA9");
      name += ending;
      EXPECT_TRUE(succeeded(run("pattern:64x48#1 -o " + name, list)));
      EXPECT_TRUE(succeeded(run("pattern:64x48#1 -y -o " + name, list)));
      EXPECT_EQ(names(), Names{name});
      EXPECT_TRUE(
          refused(run("pattern:64x48#1 -o n" + name, list), exit_output, {"File name too long"}));
      std::filesystem::remove(path(name));
    }
}

TEST_F(OutputFile, LinksStayLinks) {
  std::filesystem::create_directory(path("there"));
  write_file(path("there/film.mkv"), "old");
  std::filesystem::create_symlink("there/film.mkv", path("link.mkv"));
  EXPECT_TRUE(succeeded(run(short_one + " -y -o link.mkv")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.mkv")));
  EXPECT_EQ(frame_times(path("there/film.mkv")).size(), 5U);
  std::filesystem::create_symlink("nowhere.mkv", path("broken.mkv"));
  EXPECT_TRUE(refused(run(short_one + " -o broken.mkv"), exit_output, {"leads nowhere"}));
  EXPECT_FALSE(std::filesystem::exists(path("nowhere.mkv")));
}

// Tests of sets of pictures.

class Pictures : public OutputFile {
 protected:
  void make_old(int count) const {
    for (int i = 1; i <= count; ++i)
      write_file(path(std::to_string(i) + ".png"), "old " + std::to_string(i));
  }
  void expect_old(int count) const {
    Names expected;
    for (int i = 1; i <= count; ++i) {
      expected.insert(std::to_string(i) + ".png");
      EXPECT_EQ(read_file(path(std::to_string(i) + ".png")), "old " + std::to_string(i));
    }
    EXPECT_EQ(names(), expected);
  }
};

TEST_F(Pictures, AreReplacedTogetherOrNotAtAll) {
  make_old(5);
  for (const std::string list : {"rename@2=5", "rename@3=5,link=95", "rename@4=5,link=95",
                                 "linkat@3=5", "fsync@2=5", "O_TMPFILE=95,rename@4=5"}) {
    SCOPED_TRACE(list);
    EXPECT_TRUE(
        refused(run(short_one + " -y -o %d.png", list), exit_output, {"Input/output error"}));
    expect_old(5);
  }
}

TEST_F(Pictures, ThatCannotBePutBackAreNamed) {
  make_old(5);
  const Result result = run(short_one + " -y -o %d.png", "rename@2+=5");
  EXPECT_TRUE(refused(result, exit_output, {"2.png", "4.png", "could not be put back"}));
  int old = 0;
  for (const std::string& name : names())
    if (name.ends_with(".old")) {
      EXPECT_NE(result.err.find(name), std::string::npos);
      EXPECT_EQ(read_file(path(name)), "old " + name.substr(0, 1));
      ++old;
    }
  EXPECT_EQ(old, 3);
}

// If a run is killed between any two steps of replacing, each picture is the old or the new one,
// and the next run to them leaves nothing else.
TEST_F(Pictures, OfAKilledRunAreWholeAndItsRestGoes) {
  int kills = 0;
  for (const std::string list : {"", "link=95,", "O_TMPFILE=95,"})
    for (const std::string step : {"rename", "linkat", "link"})
      for (int call = 0;; ++call) {
        SCOPED_TRACE(list + step + std::to_string(call));
        for (const std::string& name : names()) std::filesystem::remove(path(name));
        make_old(3);
        const Result killed = run("pattern:64x48#3 -y -o %d.png",
                                  list + step + "@" + std::to_string(call) + "=killed");
        if (killed.exit_code == exit_done || HasFailure()) break;
        ++kills;
        const Names left = names();
        for (int i = 1; i <= 3; ++i) {
          const std::string name = std::to_string(i) + ".png";
          const std::string content = left.contains(name) ? read_file(path(name)) : "";
          EXPECT_TRUE(content.empty() || content == "old " + std::to_string(i) ||
                      content.starts_with("\x89PNG"));
        }
        EXPECT_TRUE(succeeded(run("pattern:64x48#3 -y -o %d.png")));
        EXPECT_EQ(names(), (Names{"1.png", "2.png", "3.png"}));
      }
  EXPECT_GT(kills, 10);
}

// On a file system without links, the only copy of an older picture has the temporary name.
TEST_F(Pictures, OfAKilledRunGetTheirNamesBack) {
  make_old(3);
  run("pattern:64x48#3 -y -o %d.png", "link=95,rename@1=killed");
  Names left = names();
  EXPECT_FALSE(left.contains("2.png"));
  EXPECT_EQ(read_file(path("3.png")), "old 3");
  std::filesystem::remove(path("1.png"));  // nothing else is in the way of a run without -y
  std::filesystem::remove(path("3.png"));
  EXPECT_TRUE(succeeded(run("pattern:64x48#1 -o %d.png")));
  EXPECT_EQ(read_file(path("2.png")), "old 2");
  EXPECT_EQ(names(), (Names{"1.png", "2.png"}));
}

// Older pictures beyond the last would be taken for the end of the video.
TEST_F(Pictures, OfALongerVideoDoNotStay) {
  make_old(5);
  write_file(path("7.png"), "of something else");
  const Result result = run("pattern:64x48#2 -y -o %d.png");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"3 older ones beyond them removed"})) << result.err;
  EXPECT_EQ(names(), (Names{"1.png", "2.png", "7.png"}));
  EXPECT_EQ(read_file(path("7.png")), "of something else");
  // A run that fails removes none, and a run does not remove a picture that it reads.
  make_old(4);
  EXPECT_TRUE(refused(run(short_one + " -y -o %d.png", "fsync@2=5"), exit_output, {"error"}));
  EXPECT_EQ(names(), (Names{"1.png", "2.png", "3.png", "4.png", "7.png"}));
  EXPECT_TRUE(succeeded(run("pattern:64x48#4 -y -o %d.png")));
  EXPECT_TRUE(succeeded(run("3.png -y -o %d.png")));
  EXPECT_EQ(names(), (Names{"1.png", "3.png", "4.png", "7.png"}));
}

// "file:" names are accepted as for inputs, by the path behind it.
TEST_F(Pictures, AndFilesCanBeNamedAsUrlsOfFiles) {
  EXPECT_TRUE(
      succeeded(run("pattern:64x48#2 -o file:a.mkv --stats file:a.json --trace "
                    "file:b.json")));
  EXPECT_TRUE(succeeded(run("pattern:64x48#2 -o file:%d.png")));
  EXPECT_TRUE(succeeded(run("pattern:64x48#2 -o file:" + path("b.y4m"))));
  EXPECT_EQ(names(), (Names{"a.mkv", "a.json", "b.json", "1.png", "2.png", "b.y4m"}));
}

TEST_F(Pictures, NeedFewDescriptors) {
  EXPECT_TRUE(succeeded(
      shell("cd " + path("") + "; ulimit -n 60; " + filter("pattern:16x16#300 -o %d.png"))));
  EXPECT_EQ(names().size(), 300U);
  EXPECT_EQ(mode_of("1.png"), mode_of("300.png"));
  EXPECT_TRUE(succeeded(
      shell("cd " + path("") + "; ulimit -n 60; " + filter("pattern:16x16#300 -y -o %d.png"))));
  EXPECT_EQ(names().size(), 300U);
}

}  // namespace
}  // namespace vidconv::test
