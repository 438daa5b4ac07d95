// The table of settings is whole, and each row takes and refuses what it should.
#include "pipeline/settings/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/spec/border_spec.h"
#include "pipeline/base/error.h"
#include "tests/support/setting_samples.h"

namespace vidconv::test {
namespace {

TEST(SettingsTable, RowsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names, options, groups;
  std::string_view group;
  for (const Setting& row : settings()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(options.insert(row.option).second) << row.option;
    if (row.group != group) {
      EXPECT_TRUE(groups.insert(row.group).second) << row.name << ": its group begins again";
    }
    group = row.group;
    EXPECT_FALSE(row.text.empty() || row.text.ends_with('.')) << row.name;
    EXPECT_EQ(setting_named(row.name), &row);
  }
  EXPECT_EQ(setting_named("colour"), nullptr);
}

TEST(SettingsTable, EachRowHasSamples) {
  EXPECT_EQ(setting_samples.size(), settings().size());
  for (const Setting& row : settings()) EXPECT_TRUE(setting_samples.contains(row.name)) << row.name;
}

TEST(SettingsTable, ValuesAreTakenOrRefused) {
  for (const Setting& row : settings()) {
    for (const std::string& value : setting_samples.at(row.name).taken) {
      Settings to;
      EXPECT_NO_THROW(row.set(to, value)) << row.name << " " << value;
    }
    for (const std::string& value : setting_samples.at(row.name).refused) {
      Settings to;
      EXPECT_ANY_THROW(row.set(to, value)) << row.name << " " << value;
    }
    if (!row.value.empty()) continue;
    Settings to;
    EXPECT_THROW(row.set(to, "yes"), Error) << row.name;
  }
}

TEST(SettingsTable, WordsOfALineAreAllTaken) {
  EXPECT_EQ(setting_named("border")->value, border_words());
  for (const std::string_view name : {"range", "scan", "orientation"}) {
    std::string_view words = setting_named(name)->value;
    while (!words.empty()) {
      const std::string word(words.substr(0, words.find('|')));
      words.remove_prefix(std::min(word.size() + 1, words.size()));
      Settings to;
      EXPECT_NO_THROW(setting_named(name)->set(to, word)) << name << " " << word;
    }
  }
}

TEST(SettingsTable, MaxPixelsCountsWhereverItStands) {
  const Setting *kernel = setting_named("kernel"), *limit = setting_named("max_pixels");
  Settings to;
  set_all({{kernel, "box"}, {limit, "100"}}, to);
  EXPECT_EQ(to.source.max_pixels, 100);
  EXPECT_EQ(to.filters.size(), 1U);
}

}  // namespace
}  // namespace vidconv::test
