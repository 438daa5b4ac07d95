// Each value of each setting on a command line: the bounds are those of the table.
#include "pipeline/settings/settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pipeline/base/error.h"
#include "src/options/options.h"
#include "tests/cli/support/cli_test.h"
#include "tests/support/setting_samples.h"

namespace vidconv::test {
namespace {

class SettingsOfTheCommand : public CliTest {
 protected:
  const std::string boxes_ = path("boxes.csv");

  void parse(const Setting& row, std::string value) const;
};

void SettingsOfTheCommand::parse(const Setting& row, std::string value) const {
  std::vector<std::string> words = {"vidconv"};
  if (row.name != "input") words.emplace_back("in.mkv");
  if (row.name != "output") words.insert(words.end(), {"--output", "out.mkv"});
  if (row.name != "kernel") words.insert(words.end(), {"--kernel", "box"});
  if (row.name == "jobs") words.insert(words.end(), {"--shards", "2"});
  if (row.name == "regions_default") words.insert(words.end(), {"--regions", boxes_});
  if (row.name == "regions" && value.starts_with("boxes.csv")) value.insert(0, path(""));
  if (row.option.starts_with('-')) words.emplace_back(row.option);
  if (!row.option.starts_with('-'))
    words.push_back(value);
  else if (!row.value.empty())
    words.back() += "=" + value;
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  parse_options(static_cast<int>(argv.size()), argv.data());
}

TEST_F(SettingsOfTheCommand, TakeAndRefuseWhatTheTableDoes) {
  std::ofstream(boxes_) << "frame,x,y,w,h\n1,2,3,4,5\n";
  for (const Setting& row : settings()) {
    for (const std::string& value : setting_samples.at(row.name).taken)
      EXPECT_NO_THROW(parse(row, value)) << row.option << " " << value;
    for (const std::string& value : setting_samples.at(row.name).refused)
      EXPECT_THROW(parse(row, value), Error) << row.option << " " << value;
  }
}

}  // namespace
}  // namespace vidconv::test
