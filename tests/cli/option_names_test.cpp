// The pipeline names settings, the command options: each setting that the pipeline names is one.
#include "src/option_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "src/option_table.h"
#include "tests/cli/cli_test.h"

namespace vidconv::test {
namespace {

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
  for (const std::string text : {"", "`", "``", "a`b", "`nothing`", "it`s `here", "codec"})
    EXPECT_EQ(with_option_names(text), text);
  EXPECT_EQ(with_option_names("`a`codec`"), "`a--codec");
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
