// The manual page, the completions and --help hold every option, message and exit code: the tests
// walk the tables that these are made from.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "kernels/filter/presets.h"
#include "pipeline/base/message.h"
#include "src/help/completions.h"
#include "src/help/help.h"
#include "src/help/words.h"
#include "src/options/option_table.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class Pages : public CliTest {
 protected:
  bool has_program(const std::string& name) const {
    return shell("command -v " + name).exit_code == 0;
  }
};

#define NEEDS(program) \
  if (!has_program(program)) GTEST_SKIP() << program << " is not installed"

std::vector<std::string> dashed_names() {
  std::vector<std::string> names;
  for (const OptionText& option : option_table())
    for (const std::string& name : option.names)
      if (name.starts_with('-')) names.push_back(name);
  return names;
}

// As a word of its own.
bool mentions(const std::string& text, const std::string& word) {
  const std::string plain = std::regex_replace(word, std::regex(R"([.[\]{}()*+?^$|\\])"), "\\$&");
  return std::regex_search(text, std::regex("(^|[^-\\w])" + plain + "($|[^-\\w])"));
}

TEST_F(Pages, TheTableSaysWhatEachOptionTakes) {
  std::set<std::string> seen;
  for (const OptionText& option : option_table()) {
    SCOPED_TRACE(option.names[0]);
    for (const std::string& name : option.names) EXPECT_TRUE(seen.insert(name).second);
    EXPECT_FALSE(option.text.empty());
    EXPECT_FALSE(option.text.ends_with('.'));
    // Types of C++ and descriptions of checks say nothing to a person: give it a type_name().
    for (const char* type : {"TEXT", "INT", "UINT", "FLOAT", "BOOLEAN", " in "})
      EXPECT_EQ(option.value.find(type), std::string::npos) << option.value;
  }
  EXPECT_GE(seen.size(), 40U);
}

TEST_F(Pages, HelpHasEveryOption) {
  const Result help = run_vidconv({"--help"});
  EXPECT_TRUE(succeeded(help));
  EXPECT_EQ(help.out, help_text());
  for (const OptionText& option : option_table())
    EXPECT_TRUE(has_line_with(help.out, {usage_of(option)}));
  for (const ExitCode& code : exit_codes())
    EXPECT_TRUE(has_line_with(help.out, {std::to_string(code.code)}));
  for (const Example& example : examples())
    EXPECT_NE(help.out.find(example.command), std::string::npos) << example.command;
  for (const std::string& line : split_lines(help.out))
    EXPECT_TRUE(line.size() < 80 || line.starts_with("  ffmpeg")) << line;
}

TEST_F(Pages, ShortHelpIsOneScreen) {
  const Result help = run_vidconv({"-h"});
  EXPECT_TRUE(succeeded(help));
  EXPECT_LE(split_lines(help.out).size(), 30U);
  for (const char* name : {"INPUT", "--output", "--kernel", "--start", "--duration", "--codec",
                           "--crf", "--audio", "--device", "-y", "--help FILTER"})
    EXPECT_NE(help.out.find(name), std::string::npos) << name;
  for (const std::string& line : split_lines(help.out))
    EXPECT_TRUE(line.size() < 80 || line.starts_with("  ffmpeg")) << line;
}

TEST_F(Pages, HelpOfAFilterHasItsParametersAndAnExample) {
  for (const Preset& preset : presets())
    for (const std::string& word :
         {std::string(preset.name), "--help=" + std::string(preset.name)}) {
      const Result help =
          word.starts_with('-') ? run_vidconv({word}) : run_vidconv({"--help", word});
      EXPECT_TRUE(succeeded(help));
      EXPECT_TRUE(help.out.starts_with(preset.name)) << help.out;
      for (const Parameter& parameter : preset.parameters)
        EXPECT_TRUE(has_line_with(help.out, {"  " + std::string(parameter.name) + " "}));
      // The example is one that runs.
      const std::size_t spec = help.out.rfind("--kernel ") + 9;
      EXPECT_TRUE(succeeded(run_vidconv({"pattern:32x32#1", "-o", "null:", "--kernel",
                                         help.out.substr(spec, help.out.size() - spec - 1)})));
    }
  EXPECT_TRUE(refused(run_vidconv({"--help=sobell"}), exit_command_line, {"'sobel'"}));
  // A word that is no filter asks for nothing else.
  EXPECT_EQ(run_vidconv({"--help", "in.mp4"}).out, run_vidconv({"--help"}).out);
}

TEST_F(Pages, ReferenceHasTheExitCodes) {
  const std::string reference = read_file(VIDCONV_SOURCE_DIR "/docs/reference.md");
  for (const ExitCode& code : exit_codes())
    EXPECT_TRUE(
        std::regex_search(reference, std::regex(fmt::format("\n\\|( \\d+,)* {}[ ,]", code.code))))
        << code.code;
}

// Examples that nobody can run are worse than none.
TEST_F(Pages, ExamplesAreUnderstood) {
  for (const Example& example : examples()) {
    std::string line(example.command);
    if (line.starts_with("ffmpeg")) {
      line = line.substr(line.find("vidconv"));
      line = line.substr(0, line.find(" | ffplay"));
    }
    if (const auto camera = line.find("/dev/video0"); camera != std::string::npos)
      line.replace(camera, 11, "/dev/video99");  // no machine has this device
    const std::string file = line.find("in.mkv") != std::string::npos    ? "in.mkv"
                             : line.find("footage") != std::string::npos ? "footage"
                             : line.find("v4l2:") != std::string::npos   ? "/dev/video99"
                                                                         : "in.mp4";
    const Result result = shell("cd " + path("") + "; rm -f *; vidconv() { " + vidconv() +
                                " \"$@\" </dev/null; }; " + line);
    // It is refused for its input that is not there, or it works.
    if (line.find(" - ") == std::string::npos && line.find("pattern:") == std::string::npos)
      EXPECT_TRUE(refused(result, exit_input, {file, "no such "})) << line;
    else if (line.find("pattern:") == std::string::npos)
      EXPECT_TRUE(refused(result, exit_input, {"empty"})) << line;
    else
      EXPECT_TRUE(succeeded(result)) << line;
  }
}

TEST_F(Pages, ManualHasEverything) {
  NEEDS("groff");
  const Result printed = run_vidconv({"--manual"});
  EXPECT_TRUE(succeeded(printed));
  EXPECT_EQ(printed.out, manual_page());
  write_file(path("vidconv.1"), printed.out);
  const Result page = shell("groff -man -ww -Tascii -P-cbou -rLL=100n " + path("vidconv.1"));
  EXPECT_TRUE(succeeded(page));
  EXPECT_EQ(page.err, "");  // groff's complaints
  for (const std::string& name : dashed_names()) EXPECT_TRUE(mentions(page.out, name)) << name;
  for (const MessageRow& kind : message_table())
    EXPECT_TRUE(mentions(page.out, std::string(kind.name))) << kind.name;
  for (const ExitCode& code : exit_codes())
    EXPECT_TRUE(mentions(page.out, std::to_string(code.code))) << code.code;
  for (const char* title : {"NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "MESSAGES", "EXAMPLES"})
    EXPECT_NE(page.out.find(std::string("\n") + title + "\n"), std::string::npos) << title;
}

// Returns bash's completions for the last word of a line.
std::vector<std::string> bash_offers(const std::string& script, const std::string& words) {
  const Result result = shell("source " + script + "; COMP_WORDS=(" + words +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _vidconv; "
                              "printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p vidconv >&2");
  EXPECT_TRUE(succeeded(result));
  EXPECT_TRUE(has_line_with(result.err, {"_vidconv vidconv"}));
  return split_lines(result.out);
}

TEST_F(Pages, BashCompletesEveryOption) {
  const Result printed = run_vidconv({"--completions", "bash"});
  EXPECT_TRUE(succeeded(printed));
  EXPECT_EQ(printed.out, bash_completions());
  const std::string script = path("vidconv.bash");
  write_file(script, printed.out);
  EXPECT_EQ(bash_offers(script, "vidconv -"), dashed_names());
  EXPECT_EQ(bash_offers(script, "vidconv in.mp4"), Arguments{});  // left to bash: files
  for (const OptionText& option : option_table()) {
    const std::vector<std::string> choices = choices_of(option);
    if (choices.empty()) continue;
    const std::string& name = option.names.back();
    EXPECT_EQ(bash_offers(script, "vidconv " + name + " = ''"), choices) << name;
    EXPECT_EQ(bash_offers(script, "vidconv " + name + " ="), choices) << name;
    if (!option.value_may_be_left_out)
      EXPECT_EQ(bash_offers(script, "vidconv " + name + " ''"), choices) << name;
    else
      EXPECT_EQ(bash_offers(script, "vidconv " + name + " ''"), Arguments{}) << name;
  }
  EXPECT_EQ(bash_offers(script, "vidconv --kernel gaus"), Arguments{"gaussian"});
  // After the name come the keys, not files, however the shell has cut the words.
  for (const std::string before :
       {"--kernel gaussian : ", "--kernel = gaussian : ", "--kernel gaussian : sigma = 2 : "}) {
    EXPECT_EQ(bash_offers(script, "vidconv " + before + "sigmax"), Arguments{"sigmax="}) << before;
    EXPECT_EQ(bash_offers(script, "vidconv " + before + "sca"), Arguments{"scale="}) << before;
  }
  EXPECT_EQ(bash_offers(script, "vidconv --kernel gaussian :").size(),
            bash_offers(script, "vidconv --kernel gaussian : ''").size());
  EXPECT_EQ(bash_offers(script, "vidconv --kernel gaussian:sigmax"), Arguments{"gaussian:sigmax="});
  EXPECT_EQ(bash_offers(script, "vidconv --kernel gaussian : sigma = ''"), Arguments{});
  EXPECT_EQ(bash_offers(script, "vidconv --kernel box in.mp"), Arguments{});
  EXPECT_EQ(bash_offers(script, "vidconv --kernel file : a"), Arguments{});
  EXPECT_EQ(bash_offers(script, "vidconv --variant cpu-g"), Arguments{"cpu-generic"});
}

TEST_F(Pages, ZshTakesItsCompletions) {
  NEEDS("zsh");
  const Result printed = run_vidconv({"--completions", "zsh"});
  EXPECT_TRUE(succeeded(printed));
  EXPECT_EQ(printed.out, zsh_completions());
  write_file(path("_vidconv"), printed.out);
  EXPECT_TRUE(succeeded(shell("zsh -n " + path("_vidconv"))));
  // As an installation does it: the folder is on fpath before compinit runs.
  const Result loaded =
      shell("zsh -fc 'fpath=(" + path("") +
            " $fpath); autoload -U compinit; compinit -D -u; echo ${_comps[vidconv]}; autoload +X "
            "_vidconv; functions _vidconv'");
  EXPECT_TRUE(succeeded(loaded));
  EXPECT_EQ(loaded.err, "");
  EXPECT_TRUE(loaded.out.starts_with("_vidconv\n")) << loaded.out;
  for (const std::string& name : dashed_names()) EXPECT_TRUE(mentions(loaded.out, name)) << name;
  EXPECT_TRUE(has_line_with(loaded.out, {"--kernel", ":_vidconv_spec"}));
  EXPECT_TRUE(has_line_with(printed.out, {"gaussian:*", "sigma="}));
}

TEST_F(Pages, FishCompletesEveryOption) {
  NEEDS("fish");
  const Result printed = run_vidconv({"--completions", "fish"});
  EXPECT_TRUE(succeeded(printed));
  EXPECT_EQ(printed.out, fish_completions());
  const std::string script = path("vidconv.fish"),
                    fish = "HOME=" + path("") + " fish -N -c 'source " + script + "; ";
  write_file(script, printed.out);
  const auto offers = [&](const std::string& line) {
    const Result result = shell(fish + "complete -C \"" + line + "\"'");
    EXPECT_TRUE(succeeded(result));
    EXPECT_EQ(result.err, "");
    std::vector<std::string> words;
    for (const std::string& offer : split_lines(result.out))
      words.push_back(offer.substr(0, offer.find('\t')));
    return words;
  };
  const std::vector<std::string> all = offers("vidconv --"), short_ones = offers("vidconv -");
  for (const std::string& name : dashed_names()) {
    const std::vector<std::string>& there = name.starts_with("--") ? all : short_ones;
    // fish shows the "=" of an option that wants a value.
    const bool found = std::ranges::find(there, name) != there.end() ||
                       std::ranges::find(there, name + "=") != there.end();
    EXPECT_TRUE(found) << name;
  }
  EXPECT_EQ(offers("vidconv --kernel gaussian:sigmax"), Arguments{"gaussian:sigmax="});
  for (const OptionText& option : option_table()) {
    if (choices_of(option).empty() || option.value_may_be_left_out) continue;
    std::vector<std::string> offered = offers("vidconv " + option.names.back() + " ");
    std::vector<std::string> wanted = choices_of(option);
    std::ranges::sort(offered);
    std::ranges::sort(wanted);
    EXPECT_EQ(offered, wanted) << option.names.back();
  }
}

TEST_F(Pages, AreInstalled) {
  const std::filesystem::path build = std::filesystem::path(vidconv()).parent_path();
  const Result result = shell("cmake --install " + build.string() + " --prefix " + path("usr"));
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(output_of("gunzip -c " + path("usr/share/man/man1/vidconv.1.gz")), manual_page());
  EXPECT_EQ(read_file(path("usr/share/bash-completion/completions/vidconv")), bash_completions());
  EXPECT_EQ(read_file(path("usr/share/zsh/site-functions/_vidconv")), zsh_completions());
  EXPECT_EQ(read_file(path("usr/share/fish/vendor_completions.d/vidconv.fish")),
            fish_completions());
}

}  // namespace
}  // namespace vidconv::test
