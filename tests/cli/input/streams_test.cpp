// Standard streams that are full, closed, gone or not read end no run that does not need them and
// change no file; output for stdout is never lost silently.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class Streams : public CliTest {
 protected:
  // Runs vidconv with many messages and `redirections`.
  std::string run(const std::string& redirections, const std::string& more = "") const {
    return fmt::format(
        "{} pattern:64x48#20 -o {} -y --kernel 'matrix:1 1;1 1' --progress json {} {}", vidconv(),
        path("out.y4m"), more, redirections);
  }
  std::string film() const { return read_file(path("out.y4m")); }
};

TEST_F(Streams, StderrThatCannotBeWrittenChangesNothing) {
  EXPECT_TRUE(succeeded(shell(run(""))));
  const std::string expected = film();
  for (const std::string stderr_ :
       {"2>/dev/full", "2>&-", "2> >(true)", "2> >(head -1)", "2</dev/null", "2>&1 >&- | true"}) {
    SCOPED_TRACE(stderr_);
    write_file(path("out.y4m"), "");
    EXPECT_EQ(shell("set +o pipefail; " + run(stderr_) + "; exit ${PIPESTATUS[0]}").exit_code, 0);
    EXPECT_TRUE(film() == expected);
    // A failing run keeps its exit code.
    EXPECT_EQ(shell(vidconv() + " /nowhere/in.mp4 -o null: --kernel box " + stderr_ +
                    "; exit ${PIPESTATUS[0]}")
                  .exit_code,
              exit_input);
  }
}

TEST_F(Streams, StderrThatNobodyReadsHoldsNothingUp) {
  const std::string fifo = path("stderr");
  const std::string fill = fmt::format(
      "mkfifo {0}; exec 9<>{0}; "
      "dd if=/dev/zero bs=4096 count=4096 oflag=nonblock of={0} 2>{1}; ",
      fifo, path("dd"));
  EXPECT_EQ(shell(fill + "timeout 60 " + run("2>" + fifo)).exit_code, 0);
  EXPECT_TRUE(has_line_with(read_file(path("dd")), {"temporarily unavailable"}));  // it was full
}

// An opened file takes the lowest free descriptor.
TEST_F(Streams, ClosedOnesAreNotTakenByFiles) {
  EXPECT_TRUE(succeeded(shell(run(""))));
  const std::string expected = film();
  for (const std::string closed :
       {"<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    SCOPED_TRACE(closed);
    write_file(path("out.y4m"), "");
    EXPECT_EQ(
        shell(run(closed, "--trace " + path("trace") + " --stats " + path("stats"))).exit_code, 0);
    EXPECT_TRUE(film() == expected);
    EXPECT_TRUE(json::accept(read_file(path("trace"))));
    EXPECT_TRUE(json::accept(read_file(path("stats"))));
  }
  const Result video = shell(vidconv() + " pattern:64x48#20 -o - --kernel box --stats " +
                             path("stats") + " --trace " + path("trace") + " >&-");
  EXPECT_TRUE(refused(video, exit_output, {"standard output", "not open for writing"}));
  EXPECT_EQ(read_file(path("stats")).find("FRAME"), std::string::npos);
  EXPECT_EQ(read_file(path("trace")).find("FRAME"), std::string::npos);
  EXPECT_TRUE(refused(shell(vidconv() + " - -o null: --kernel box <&-"), exit_input,
                      {"standard input", "not open for reading"}));
}

TEST_F(Streams, StdoutIsCheckedByAllThatPrint) {
  const std::string film = "pattern:64x48#5 -q --kernel box ";
  for (const std::string& what : {std::string("--help"),
                                  std::string("--version"),
                                  std::string("--list-kernels"),
                                  std::string("--list-kernels=json"),
                                  std::string("--list-formats"),
                                  std::string("--list-formats=json"),
                                  std::string("--list-variants"),
                                  std::string("--list-devices"),
                                  std::string("--manual"),
                                  std::string("--completions bash"),
                                  std::string("--completions zsh"),
                                  std::string("--completions fish"),
                                  film + "--explain",
                                  film + "--benchmark=0.01",
                                  film + "--benchmark=0.01 --stats -",
                                  film + "-o null: --stats -",
                                  film + "-o md5:",
                                  film + "-o -",
                                  film + "-o - --format raw",
                                  film + "-o - --format nut"}) {
    for (const auto& [stdout_, kind] : {std::pair{">/dev/full", "output-unwritable"},
                                        {">&-", "output-unwritable"},
                                        {"| (exec <&-; sleep 0.3)", "output-closed"}}) {
      SCOPED_TRACE(what + " " + stdout_);
      // The reader is gone before anything is written.
      const Result result = shell(fmt::format("{{ sleep 0.1; {} {}; }} {}; exit ${{PIPESTATUS[0]}}",
                                              vidconv(), what, stdout_));
      EXPECT_EQ(result.exit_code, exit_output);
      const std::vector<std::string> lines = split_lines(result.err);
      ASSERT_EQ(lines.size(), 1U) << result.err;
      EXPECT_TRUE(has_line_with(lines[0], {"standard output", kind}));
    }
  }
}

}  // namespace
}  // namespace vidconv::test
