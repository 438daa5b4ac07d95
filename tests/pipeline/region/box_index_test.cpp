// An index returns every span that touches a moment, as looking at all of them does.
#include "pipeline/region/box_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vidconv {
namespace {

TEST(BoxIndex, MissesNoneOfManySpans) {
  std::mt19937 random(7);
  const auto number = [&](int most) { return static_cast<double>(random() % 1000) * most / 1000; };
  for (const int longest : {0, 1, 50, 5000})
    for (const int count : {0, 1, 2, 40, 3000}) {
      std::vector<BoxIndex::Span> spans;
      for (int i = 0; i < count; ++i) {
        const double from = number(4000);
        spans.push_back({static_cast<std::uint32_t>(i), from, from + number(longest)});
      }
      const BoxIndex index(spans);
      for (int i = 0; i < 200; ++i) {
        const double from = number(4400) - 200, to = from + number(3);
        std::vector<std::uint32_t> found{99999};
        index.find(from, to, found);
        EXPECT_EQ(found.front(), 99999U);
        found.erase(found.begin());
        std::ranges::sort(found);
        EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << "one came twice";
        for (const BoxIndex::Span& span : spans)
          if (span.from <= to && span.to >= from) {
            EXPECT_TRUE(std::ranges::binary_search(found, span.number))
                << span.from << ".." << span.to << " at " << from << ".." << to;
          }
      }
    }
}

// Short spans are told apart: spans far away are not looked at.
TEST(BoxIndex, LooksAtFew) {
  std::vector<BoxIndex::Span> spans;
  for (std::uint32_t i = 0; i < 100000; ++i) spans.push_back({i, i / 5.0, i / 5.0});
  const BoxIndex index(spans);
  std::vector<std::uint32_t> found;
  index.find(9000, 9001, found);
  EXPECT_LT(found.size(), 50U);
}

}  // namespace
}  // namespace vidconv
