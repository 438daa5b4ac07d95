// Shared by the tests of the command: a directory that goes with the test, clips made by ffmpeg,
// and ffprobe and ffmpeg as the judges of vidconv's output.
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

// The exit codes are part of the command's interface.
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

  // Returns a path in the test's own directory.
  std::string path(std::string_view name) const { return directory_ / name; }

  // Makes 20 frames of a moving test picture, 128x72 at 25 frames a second, and returns the path.
  // The extension of `name` decides the container; `encoding` is ffmpeg's output options.
  std::string make_clip(std::string_view name, const std::string& encoding) const;

  // Makes such a clip as H.264 with AAC sound, in mp4, and returns its path.
  std::string clip() const;

 private:
  std::filesystem::path directory_;
};

// Returns the vidconv under test as a word for shell().
std::string vidconv();
Result run_vidconv(const Arguments& arguments, const std::string& stdin_path = "/dev/null");
Arguments command(const Arguments& arguments);  // returns the argv of run_vidconv()

// Returns a line for shell(), ending with "; ", that waits for an unfinished output in the folder.
std::string until_written_to(const std::string& folder);

// Runs ffmpeg; fails the test if it fails. The shell splits `arguments`.
void ffmpeg(const std::string& arguments);

// Returns the lines of `ffprobe -show_entries ENTRIES -of csv=p=0`.
std::vector<std::string> probe(const std::string& file, const std::string& entries,
                               const std::string& streams = "v:0");
std::vector<std::string> frame_times(const std::string& file);  // the video's, in seconds

// The MD5 of each decoded frame's samples, and of all together, as ffmpeg computes them.
struct Digests {
  std::vector<std::string> frames;
  std::string all;
  bool operator==(const Digests&) const = default;
};
Digests judge_digests(const std::string& file, const std::string& input_options = "");
// Parses the output of `vidconv -o md5:`: "0 DIGEST", "1 DIGEST", ..., "all DIGEST".
Digests parse_digests(const std::string& text);

// Returns the MD5 of each stream's packets, as they are in the container.
std::string packet_hashes(const std::string& file, const std::string& streams);

std::vector<std::string> split_lines(const std::string& text);

// Succeeds if one line of `text` contains all `parts`.
testing::AssertionResult has_line_with(const std::string& text,
                                       const std::vector<std::string>& parts);
// Succeeds if the exit code is `code` and one line of stderr contains all `parts`.
testing::AssertionResult refused(const Result& result, Exit code,
                                 const std::vector<std::string>& parts);
testing::AssertionResult succeeded(const Result& result);

}  // namespace vidconv::test
