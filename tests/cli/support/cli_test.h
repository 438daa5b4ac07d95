// What the tests of the command have in common: a directory that goes with the test, clips made by
// ffmpeg, and ffprobe and ffmpeg as the judges of what vidconv wrote.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/process.h"

namespace vidconv::test {

using Arguments = std::vector<std::string>;

// Design: the exit codes are part of the interface.
enum Exit {
  exit_done = 0,
  exit_command_line = 2,
  exit_input = 3,
  exit_output = 4,
  exit_device = 5,
  exit_verification = 6,
  exit_damaged = 7,
  exit_interrupted = 130,
};

class CliTest : public testing::Test {
 protected:
  CliTest();
  ~CliTest() override;

  // A path in the test's own directory.
  std::string path(std::string_view name) const { return directory_ / name; }

  // 20 frames of a moving test picture, 128x72 at 25 frames a second; returns its path. The ending
  // of `name` decides the container, `encoding` is ffmpeg's output options.
  std::string make_clip(std::string_view name, const std::string& encoding) const;

  // The same as H.264 with AAC sound, in mp4.
  std::string clip() const;

 private:
  std::filesystem::path directory_;
};

// The vidconv under test, as a word for shell().
std::string vidconv();
Result run_vidconv(const Arguments& arguments, const std::string& stdin_path = "/dev/null");
Arguments command(const Arguments& arguments);  // the argv of run_vidconv()

// Waits, as a line for shell() that ends with "; ", until an unfinished output is in the folder.
std::string until_written_to(const std::string& folder);

// Fails the test where ffmpeg fails. `arguments` is split by the shell.
void ffmpeg(const std::string& arguments);

// The lines of `ffprobe -show_entries ENTRIES -of csv=p=0`.
std::vector<std::string> probe(const std::string& file, const std::string& entries,
                               const std::string& streams = "v:0");
std::vector<std::string> frame_times(const std::string& file);  // of the video, in seconds

// MD5 of each decoded frame's samples, and of all together, as ffmpeg computes them.
struct Digests {
  std::vector<std::string> frames;
  std::string all;
  bool operator==(const Digests&) const = default;
};
Digests judge_digests(const std::string& file, const std::string& input_options = "");
// What `vidconv -o md5:` prints: "0 DIGEST", "1 DIGEST", ..., "all DIGEST".
Digests parse_digests(const std::string& text);

// MD5 of the packets of each of the streams, as they lie in the container.
std::string packet_hashes(const std::string& file, const std::string& streams);

std::vector<std::string> split_lines(const std::string& text);

// One line of `text` holds all `parts`.
testing::AssertionResult has_line_with(const std::string& text,
                                       const std::vector<std::string>& parts);
// The exit code is `code` and stderr has one line that holds all `parts`.
testing::AssertionResult refused(const Result& result, Exit code,
                                 const std::vector<std::string>& parts);
testing::AssertionResult succeeded(const Result& result);

}  // namespace vidconv::test
