// Each setting that the pipeline names in a message becomes an option of the command.
#include "src/options/option_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "pipeline/base/printable.h"
#include "src/options/option_table.h"
#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class OptionNamesInValues : public CliTest {};

bool is_option(const std::string& name) {
  return std::ranges::any_of(option_table(), [&](const OptionText& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
}

TEST(OptionNames, StandForSettings) {
  EXPECT_EQ(with_option_names("use `codec` ffv1, or `encoder_options` qp=0"),
            "use --codec ffv1, or --encoder-opt qp=0");
  EXPECT_EQ(with_option_names("`overwrite` overwrites it"), "-y overwrites it");
}

TEST(OptionNames, LeaveAllElseAsItIs) {
  for (const std::string text : {"", "`", "a`b", "`nothing`", "it`s `here", "codec"})
    EXPECT_EQ(with_option_names(text), text);
  EXPECT_EQ(with_option_names("`a`codec`"), "`a--codec");
  EXPECT_EQ(plain("use `codec` for '" + verbatim("`crf`` a`") + "'"),
            "use `codec` for '`crf`` a`'");
  for (const std::string value : {"`codec`", "``codec``", "`", "`a`codec", "codec"}) {
    EXPECT_EQ(with_option_names(verbatim(value)), value);
    EXPECT_EQ(with_option_names("`crf`" + verbatim(value) + "`codec`"),
              "--crf" + value + "--codec");
  }
}

// Values of the user or of a file are not translated, wherever they stand in a message.
TEST_F(OptionNamesInValues, PassByUntouched) {
  const std::string word = "`codec`", stats = path("s.json");
  const auto refuses = [&](const Arguments& more, const std::string& shown) {
    Arguments all{"-y", "--kernel", "box", "--stats", stats};
    all.insert(all.begin(), more.begin(), more.end());
    const Result result = run_vidconv(all);
    EXPECT_NE(result.exit_code, exit_done);
    EXPECT_NE(result.err.find(shown), std::string::npos) << result.err;
    if (!std::filesystem::exists(stats)) return;
    const auto report = nlohmann::json::parse(read_file(stats));
    EXPECT_NE(report.at("messages").back().at("text").get<std::string>().find(shown),
              std::string::npos)
        << report;
    std::filesystem::remove(stats);
  };
  refuses({path(word + ".mp4"), "-o", "null:"}, "/" + word + ".mp4'");
  refuses({"pattern:64x48#2", "-o", path("no/" + word + ".y4m")}, "/" + word + ".y4m'");
  refuses({"pattern:64x48#2", "-o", path("a." + word)}, "a." + word);
  refuses({"pattern:64x48:" + word, "-o", "null:"}, "'" + word + "'");
  refuses({"pattern:64x48#2", "-o", path("a.mkv"), "--codec", word}, "'" + word + "'");
  refuses({"pattern:64x48#2", "-o", path("a.mkv"), "--encoder-opt", word + "=`crf`"},
          "--encoder-opt " + word);
  refuses({"pattern:64x48#2", "-o", path("a.mkv"), "--encoder-opt", "tune=" + word},
          "tune=" + word);
  refuses({"pattern:64x48#2", "-o", path("a.mkv"), "--muxer-opt", "a=" + word},
          "--muxer-opt a=" + word);
  refuses({"pattern:64x48#2", "-o", "null:", "--preset", word}, "--preset " + word);
  refuses({"pattern:64x48#2", "-o", "null:", "--kernel", word}, word);
  refuses({"pattern:64x48#2", "-o", "null:", "--planes", word}, word);
  refuses({"pattern:64x48#2", "-o", "null:", "--border", word}, word);
  refuses({"pattern:64x48#2", "-o", "null:", "--scan", word}, word);
  write_file(path("l.m3u8"),
             "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/" + word + ".ts\n#EXT-X-ENDLIST\n");
  refuses({path("l.m3u8"), "-o", "null:"}, word);
  // A damaged input by its name.
  ffmpeg("-i " + clip() + " -an " + path("a.y4m"));
  write_file(path(word + ".y4m"), read_file(path("a.y4m")) + "FRAMX");
  refuses({path(word + ".y4m"), "-o", "null:"}, "/" + word + ".y4m'");
}

TEST(OptionNames, AreThereForWhateverThePipelineNames) {
  const std::filesystem::path pipeline = std::filesystem::path(VIDCONV_SOURCE_DIR) / "pipeline";
  std::set<std::string> named;
  const std::regex setting("`[a-z_]+`"), comment("//[^\n]*");
  for (const auto& file : std::filesystem::recursive_directory_iterator(pipeline)) {
    if (file.path().extension() != ".cpp") continue;
    const std::string code = std::regex_replace(read_file(file.path()), comment, "");
    for (std::sregex_iterator at(code.begin(), code.end(), setting), end; at != end; ++at)
      named.insert(at->str());
  }
  EXPECT_GT(named.size(), 20u);
  for (const std::string& name : named) {
    const std::string option = with_option_names(name);
    EXPECT_TRUE(is_option(option)) << name << " is shown as " << option;
  }
}

}  // namespace
}  // namespace vidconv::test
