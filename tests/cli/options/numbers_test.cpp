// Invalid numbers and times are refused by every option and description that takes one: the sweep
// walks the table of options.
#include <algorithm>
#include <sstream>

#include "src/options/option_table.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

const std::string& many_digits() {
  static const std::string digits(400, '9');
  return digits;
}

const std::vector<std::string>& bad_numbers() {
  static const std::vector<std::string> all = {"nan",
                                               "inf",
                                               "-inf",
                                               "1e400",
                                               "-1",
                                               "9223372036854775808",
                                               "18446744073709551617",
                                               "1x",
                                               "0x10",
                                               " 1",
                                               "1 ",
                                               "1,5",
                                               "many",
                                               "",
                                               "1\n2",
                                               many_digits()};
  return all;
}

// Returns whether a word stands for a number in the table: "N", "SECONDS", "TIME", V in
// "constant:V".
bool is_number(const std::string& word) {
  return word == "N" || word == "SECONDS" || word == "TIME" || word == "V";
}

// Returns the text before a number in each alternative: "cuda:" for "auto|cuda|cuda:N".
std::vector<std::string> before_numbers(const OptionText& option) {
  std::vector<std::string> found;
  if (option.value == "N|SPEC") return found;  // a word that is no number is a filter there
  std::istringstream alternatives(option.value);
  for (std::string word; std::getline(alternatives, word, '|');) {
    const std::size_t colon = word.find(':');
    const std::size_t begin = colon == word.npos ? 0 : colon + 1;
    if (is_number(word.substr(begin))) found.push_back(word.substr(0, begin));
  }
  return found;
}

// Expects one line of less than 300 characters that names the value, and exit code 2.
void expect_refused(const Arguments& more, const std::string& option, const std::string& value) {
  SCOPED_TRACE(option + " '" + value + "'");
  Arguments arguments{"-q", "-o", "null:", "--kernel", "box"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = run_vidconv(arguments);
  EXPECT_EQ(result.exit_code, exit_command_line);
  const std::vector<std::string> lines = split_lines(result.err);
  ASSERT_EQ(lines.size(), 1U) << result.err;
  EXPECT_LT(lines[0].size(), 300U) << lines[0];
  EXPECT_NE(lines[0].find(option), std::string::npos) << lines[0];
  const std::string shown = value.ends_with("1\n2")          ? "1\\n2"
                            : value.ends_with(many_digits()) ? "99999999..."
                                                             : value;
  EXPECT_NE(lines[0].find(shown), std::string::npos) << lines[0];
}

class Numbers : public CliTest {};

TEST_F(Numbers, OfEveryOptionAreChecked) {
  int options = 0;
  for (const OptionText& option : option_table()) {
    const std::string& name = option.names.back();
    for (const std::string& before : before_numbers(option)) {
      ++options;
      for (const std::string& bad : bad_numbers()) {
        if (before == "cuda:" && bad == "1,5") continue;  // two devices
        expect_refused({"pattern:16x16#2", name + "=" + before + bad}, name, before + bad);
      }
    }
  }
  EXPECT_GE(options, 12);
}

// The numbers behind "@" and "#" of a description are checked; sizes have tests of their own.
TEST_F(Numbers, OfDescriptionsAreChecked) {
  for (const std::string& bad : bad_numbers()) {
    expect_refused({"pattern:16x16@" + bad}, "pattern", bad);
    expect_refused({"pattern:16x16#" + bad}, "pattern", bad);
    expect_refused({"-", "--raw", "16x16:gray@" + bad}, "raw", bad);
  }
  for (const std::string rate : {"0", "1/0", "0/1", "-25", "PI", "5*5", "1e-30", "1e30"})
    expect_refused({"pattern:16x16@" + rate}, "pattern", rate);
  for (const std::string rate : {"25", "30000/1001", "23.976", "ntsc-film"})
    EXPECT_TRUE(
        succeeded(run_vidconv({"pattern:16x16@" + rate + "#2", "-o", "null:", "--kernel", "box"})))
        << rate;
}

TEST_F(Numbers, OfNothingAreRefused) {
  for (const char* option : {"--frames", "--duration", "--threads", "--slots", "--verify"})
    expect_refused({"pattern:16x16#2", std::string(option) + "=0"}, option, "0");
}

// Scripts make empty values of variables that are not set.
TEST_F(Numbers, EmptyValuesAreRefused) {
  for (const OptionText& option : option_table())
    if (!option.value.empty() && !option.value_may_be_left_out && option.names[0].starts_with("-"))
      expect_refused({"pattern:16x16#2", option.names.back(), ""}, option.names.back(), "");
}

TEST_F(Numbers, AsLargeAsTheyGet) {
  for (const std::string& in : {std::string("pattern:64x48#20"), clip()}) {
    const Result result =
        run_vidconv({in, "-o", "md5:", "--kernel", "box", "--start", "0.04", "--duration",
                     "1000000000", "--frames", "9223372036854775807"});
    EXPECT_TRUE(succeeded(result));
    EXPECT_GE(parse_digests(result.out).frames.size(), 19U);
  }
}

// An empty output does not replace an older one.
class Nothing : public CliTest, public testing::WithParamInterface<std::string> {};

TEST_P(Nothing, IsNoOutput) {
  const std::string in = GetParam();
  ffmpeg("-i " + clip() + " -an " + path("in.y4m") + " -an -pix_fmt yuv420p -f rawvideo " +
         path("in.raw"));
  const Arguments input = in == "raw"       ? Arguments{path("in.raw"), "--raw", "128x72:yuv420p"}
                          : in == "y4m"     ? Arguments{path("in.y4m")}
                          : in == "pattern" ? Arguments{"pattern:64x48#20"}
                          : in == "none"    ? Arguments{"pattern:64x48#0"}
                                            : Arguments{clip()};
  for (const std::string name :
       {"out.y4m", "out.yuv", "out.mkv", "out.mp4", "out.png", "f%d.png", "md5:", "null:", "-"}) {
    SCOPED_TRACE(name);
    const bool file = name.find('.') != std::string::npos;
    const std::string out = file ? path(name) : name;
    if (file) write_file(name == "f%d.png" ? path("f1.png") : out, "precious");
    Arguments arguments = input;
    arguments.insert(arguments.end(), {"-o", out, "-y", "--kernel", "box"});
    if (in != "none") arguments.insert(arguments.end(), {"--start", "100"});
    const Result result = run_vidconv(arguments);
    EXPECT_TRUE(refused(result, exit_input, {"[no-frame]"}));
    if (name == "md5:") {
      EXPECT_EQ(result.out, "");
    }
    if (file) {
      EXPECT_EQ(read_file(name == "f%d.png" ? path("f1.png") : out), "precious");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, Nothing,
                         testing::Values("raw", "y4m", "pattern", "none", "container"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace vidconv::test
