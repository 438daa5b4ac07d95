// With disks that fill, folders that are read-only or vanish, and inputs that shrink, an old output
// survives, no incomplete file is left under its name, and the exit code tells of it.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Disk : public CliTest {
 protected:
  // Fails the test unless `name` is unchanged and the folder has nothing else but `others`.
  void expect_untouched(const std::string& name, std::vector<std::string> others = {}) const {
    EXPECT_TRUE(read_file(path(name)) == "precious");
    others.push_back(name);
    std::ranges::sort(others);
    std::vector<std::string> there;
    for (const auto& entry : std::filesystem::directory_iterator(path("")))
      there.push_back(entry.path().filename());
    std::ranges::sort(there);
    EXPECT_EQ(there, others);
  }

  // Runs vidconv with a disk that has room for so many bytes.
  Result run_on_full_disk(const std::string& name, int bytes, int error, bool late) const {
    const std::string x264 = name.ends_with(".mkv") || name.ends_with(".mp4") ? " --crf 1" : "";
    return shell(
        "export VIDCONV_DISK_BYTES=" + std::to_string(bytes) +
        " VIDCONV_DISK_ERROR=" + std::to_string(error) + (late ? " VIDCONV_DISK_LATE=1" : "") +
        " ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0; LD_PRELOAD=" VIDCONV_FAULTS " " +
        vidconv() + " pattern:320x180#40 -y --kernel box" + x264 + " -o " + path(name));
  }
};

TEST_F(Disk, FillsAtAnyPoint) {
  for (const std::string name : {"out.mkv", "out.mp4", "out.ts", "out.nut", "out.avi", "out.gif",
                                 "out.y4m", "out.yuv", "out.png"})
    for (const int bytes : {0, 1, 700, 5000, 30000})
      for (const auto& [error, word] :
           {std::pair{ENOSPC, "No space left on device"}, {EDQUOT, "Disk quota exceeded"}}) {
        SCOPED_TRACE(name + " " + std::to_string(bytes) + " " + word);
        write_file(path(name), "precious");
        // A single picture holds one frame; its file is what matters.
        const Result result = run_on_full_disk(name, bytes, error, false);
        EXPECT_FALSE(result.timed_out);
        EXPECT_EQ(result.exit_code, exit_output) << result.err;
        if (name != "out.png") {
          EXPECT_TRUE(has_line_with(result.err, {word}));
        }
        expect_untouched(name);
        std::filesystem::remove(path(name));
      }
}

TEST_F(Disk, FillsWhenTheFileIsClosed) {
  for (const std::string name : {"out.mkv", "out.y4m", "out.yuv"}) {
    SCOPED_TRACE(name);
    write_file(path(name), "precious");
    EXPECT_TRUE(
        refused(run_on_full_disk(name, 5000, EDQUOT, true), exit_output, {"Disk quota exceeded"}));
    expect_untouched(name);
    std::filesystem::remove(path(name));
  }
}

TEST_F(Disk, WithRoomEnoughIsNoFailure) {
  EXPECT_TRUE(succeeded(run_on_full_disk("out.mkv", 100'000'000, ENOSPC, true)));
  EXPECT_EQ(frame_times(path("out.mkv")).size(), 40U);
}

TEST_F(Disk, SmallFileSystem) {
  std::filesystem::create_directory(path("small"));
  // The mount is in a namespace of its own, if a program may have one.
  const std::string mount =
      "unshare --user --map-root-user --mount bash -c 'mount -t tmpfs -o "
      "size=100k none " +
      path("small") + " && ";
  if (shell(mount + "true'").exit_code != 0) GTEST_SKIP() << "mounting is not allowed here";
  for (const std::string name : {"out.mkv", "out.mp4", "out.y4m"}) {
    SCOPED_TRACE(name);
    const std::string out = path("small/") + name;
    const Result result = shell(mount + "echo precious > " + out + "; " + vidconv() +
                                " pattern:320x180#40 -y --kernel box -o " + out +
                                (name == "out.y4m" ? "" : " --crf 1") + "; echo code $?; ls " +
                                path("small") + "; cat " + out + "'");
    EXPECT_EQ(result.out, "code 4\n" + name + "\nprecious\n") << result.err;
    EXPECT_TRUE(has_line_with(result.err, {"No space left on device"}));
  }
}

TEST_F(Disk, ReadOnlyFolder) {
  const std::string folder = path("read-only");
  std::filesystem::create_directory(folder);
  write_file(folder + "/out.mkv", "precious");
  ASSERT_TRUE(succeeded(shell("chmod 755 " + path("") + " && chmod 555 " + folder)));
  // Root may write anywhere.
  const std::string as_user =
      geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  for (const std::string name : {"out.mkv", "new.mkv", "new.y4m"})
    EXPECT_TRUE(refused(
        shell(as_user + vidconv() + " pattern:64x48#3 -y --kernel box -o " + folder + "/" + name),
        exit_output, {name, "Permission denied"}));
  EXPECT_EQ(read_file(folder + "/out.mkv"), "precious");
  ASSERT_TRUE(succeeded(shell("chmod 755 " + folder)));
}

// Returns a line whose input comes slowly, so that `meanwhile` runs when there is an unnamed file
// in `folder`.
std::string paced(const std::string& folder, const std::string& meanwhile,
                  const std::string& arguments) {
  return "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -f yuv4mpegpipe "
         "-pix_fmt yuv420p - | { head -c 30000; " +
         until_written_to(folder) + meanwhile + "; cat; } | " + vidconv() + " - --kernel box " +
         arguments;
}

TEST_F(Disk, FolderThatVanishes) {
  const std::string folder = path("gone");
  for (const std::string name : {"out.mkv", "out.y4m"}) {
    std::filesystem::create_directory(folder);
    EXPECT_TRUE(refused(shell(paced(folder, "rm -r " + folder, "-o " + folder + "/" + name)),
                        exit_output, {name, "No such file"}));
    EXPECT_FALSE(std::filesystem::exists(folder));
  }
}

// Without -y, a file that has appeared meanwhile under the output's name belongs to somebody else.
TEST_F(Disk, OutputThatComesUpMeanwhile) {
  const std::string out = path("out.mkv");
  EXPECT_TRUE(refused(shell(paced(path(""), "echo -n precious > " + out, "-o " + out)), exit_output,
                      {"exists"}));
  expect_untouched("out.mkv");
}

TEST_F(Disk, InputThatVanishesIsReadToItsEnd) {
  ffmpeg("-f lavfi -i testsrc2=size=320x180:rate=25:duration=8 -c:v mjpeg " + path("in.mkv"));
  const Result result = shell(vidconv() + " " + path("in.mkv") +
                              " -o - --format raw --kernel box | { head -c 1000; rm " +
                              path("in.mkv") + "; cat; } | wc -c");
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(result.out, std::to_string(200 * 320 * 180 * 3 / 2) + "\n");
}

TEST_F(Disk, InputThatShrinksIsDamaged) {
  const std::string in = path("in.mkv");
  ffmpeg("-f lavfi -i testsrc2=size=320x180:rate=25:duration=8 -c:v mjpeg " + in);
  const auto half = std::filesystem::file_size(in) / 2;
  const Result result =
      shell("set +o pipefail; " + vidconv() + " " + in + " -o - --format raw --kernel box | " +
            "{ head -c 1000 > /dev/null; truncate -s " + std::to_string(half) + " " + in +
            "; cat > /dev/null; }; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(result.exit_code, exit_damaged) << result.err;
}

}  // namespace
}  // namespace vidconv::test
