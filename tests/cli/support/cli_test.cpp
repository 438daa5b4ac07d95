#include "tests/cli/support/cli_test.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace vidconv::test {
namespace {

std::string describe(const Result& result) {
  return "exit code " + std::to_string(result.exit_code) +
         (result.timed_out ? ", killed after the time limit" : "") + "\nstdout:\n" +
         result.out.substr(0, 2000) + "\nstderr:\n" + result.err.substr(0, 4000);
}

// Returns where ffmpeg's output is cached, for arguments that read no file and write only the last.
std::optional<std::filesystem::path> kept_clip(const std::string& arguments,
                                               const std::filesystem::path& output) {
  static const std::filesystem::path clips = VIDCONV_CLIPS;
  const std::string name = output.filename().string();
  const std::string before = arguments.substr(0, arguments.size() - output.string().size());
  if (!output.is_absolute() || name.find_first_of("%'\"") != std::string::npos ||
      before.find("lavfi") == std::string::npos || before.find('/') != std::string::npos)
    return std::nullopt;
  return clips / fmt::format("{:016x}-{}", std::hash<std::string>()(before), name);
}

}  // namespace

CliTest::CliTest() {
  std::string name = (std::filesystem::temp_directory_path() / "vidconv-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  directory_ = name;
}

CliTest::~CliTest() { std::filesystem::remove_all(directory_); }

std::string CliTest::make_clip(std::string_view name, const std::string& encoding) const {
  ffmpeg("-f lavfi -i testsrc2=size=128x72:rate=25:duration=0.8 " + encoding + " " + path(name));
  return path(name);
}

std::string CliTest::clip() const {
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x72:rate=25:duration=0.8 -f lavfi -i sine=duration=0.8 "
      "-c:v libx264 -pix_fmt yuv420p -g 5 -c:a aac " +
      path("clip.mp4"));
  return path("clip.mp4");
}

std::string vidconv() { return VIDCONV_PROGRAM; }

Arguments command(const Arguments& arguments) {
  Arguments argv{vidconv()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

Result run_vidconv(const Arguments& arguments, const std::string& stdin_path) {
  return execute(command(arguments), stdin_path);
}

std::string until_written_to(const std::string& folder) {
  const std::string start = std::filesystem::path(folder + "/").lexically_normal().string();
  return "until grep -Eq '" + start +
         "(#|.*[.]part$)' <(ls -l /proc/[0-9]*/fd 2> /dev/null); do sleep 0.05; done; ";
}

// Half of the tests' clips are alike, and ffmpeg takes a tenth of a second to start.
void ffmpeg(const std::string& arguments) {
  const std::filesystem::path output = arguments.substr(arguments.rfind(' ') + 1);
  const std::optional<std::filesystem::path> kept = kept_clip(arguments, output);
  if (kept && std::filesystem::exists(*kept)) {
    std::filesystem::copy_file(*kept, output, std::filesystem::copy_options::overwrite_existing);
    return;
  }
  output_of("ffmpeg -v error -nostdin -y " + arguments);
  if (!kept || !std::filesystem::is_regular_file(output)) return;
  // Several programs may run this at once.
  const std::string mine = fmt::format("{}.{}", kept->string(), ::getpid());
  std::filesystem::create_directories(kept->parent_path());
  std::filesystem::copy_file(output, mine);
  std::filesystem::rename(mine, *kept);
}

std::vector<std::string> probe(const std::string& file, const std::string& entries,
                               const std::string& streams) {
  return split_lines(output_of("ffprobe -v error -select_streams " + streams + " -show_entries " +
                               entries + " -of csv=p=0 " + file));
}

std::vector<std::string> frame_times(const std::string& file) {
  std::vector<std::string> times = probe(file, "frame=pts_time");
  // A frame with side data ends its line with one more comma.
  for (std::string& time : times) time = time.substr(0, time.find(','));
  return times;
}

Digests judge_digests(const std::string& file, const std::string& input_options) {
  // With more threads, some of FFmpeg's decoders make wrong pictures now and then: Theora's does.
  const std::string input =
      "ffmpeg -v error -nostdin -threads 1 " + input_options + " -i " + file + " -map 0:v:0 ";
  Digests digests;
  for (const std::string& line : split_lines(output_of(input + "-f framemd5 -")))
    if (!line.starts_with('#')) digests.frames.push_back(line.substr(line.rfind(' ') + 1));
  const std::string all = output_of(input + "-fps_mode passthrough -f md5 -");
  digests.all = all.substr(all.find('=') + 1, 32);
  return digests;
}

Digests parse_digests(const std::string& text) {
  Digests digests;
  for (const std::string& line : split_lines(text)) {
    const std::size_t space = line.find(' ');
    EXPECT_EQ(line.size(), space + 33) << line;
    if (line.starts_with("all "))
      digests.all = line.substr(space + 1);
    else
      digests.frames.push_back(line.substr(space + 1));
  }
  return digests;
}

std::string packet_hashes(const std::string& file, const std::string& streams) {
  return output_of("ffmpeg -v error -nostdin -i " + file + " -map 0:" + streams +
                   " -c copy -f streamhash -hash md5 -");
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

testing::AssertionResult has_line_with(const std::string& text,
                                       const std::vector<std::string>& parts) {
  std::string wanted;
  for (const std::string& part : parts) wanted += " '" + part + "'";
  for (const std::string& line : split_lines(text)) {
    bool all = true;
    for (const std::string& part : parts) all = all && line.find(part) != std::string::npos;
    if (all) return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "no line with" << wanted << " in:\n" << text;
}

testing::AssertionResult refused(const Result& result, Exit code,
                                 const std::vector<std::string>& parts) {
  if (result.exit_code != code)
    return testing::AssertionFailure() << "expected exit code " << code << "\n" << describe(result);
  return has_line_with(result.err, parts);
}

testing::AssertionResult succeeded(const Result& result) {
  if (result.exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << describe(result);
}

}  // namespace vidconv::test
