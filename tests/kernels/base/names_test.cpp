// Suggestions for names that nothing has.
#include "kernels/base/names.h"

#include <gtest/gtest.h>

namespace vidconv {
namespace {

TEST(Names, SlipsOfThePen) {
  const std::vector<std::string_view> names = {"sobel", "scharr", "box", "neighbours", "high-pass"};
  for (const auto& [word, meant] : {std::pair{"sobell", "sobel"},
                                    {"sbel", "sobel"},
                                    {"osbel", "sobel"},
                                    {"SOBEK", "sobel"},
                                    {"bxo", "box"},
                                    {"neighbors", "neighbours"},
                                    {"neigh", "neighbours"},
                                    {"boxblur", "box"},
                                    {"high_pass", "high-pass"}})
    EXPECT_EQ(did_you_mean(word, names), std::string(" (did you mean '") + meant + "'?)") << word;
  for (const char* other : {"", "b", "qqqq", "gaussian", "sobx-and-much-else"})
    EXPECT_EQ(did_you_mean(other, names), "") << other;
  EXPECT_EQ(did_you_mean(std::string(100000, 's'), names), "");
}

TEST(Names, OtherWordsAsFarAsTheyMeanSomethingHere) {
  EXPECT_EQ(did_you_mean("Blur", {"box", "sobel", "gaussian"}),
            " (did you mean 'gaussian' or 'box'?)");
  EXPECT_EQ(did_you_mean("blur", {"box", "sobel"}), " (did you mean 'box'?)");
  EXPECT_EQ(did_you_mean("blur", {"sobel"}), "");
}

TEST(Names, InAnyCase) {
  EXPECT_TRUE(same_name("Sobel", "sOBEL"));
  EXPECT_FALSE(same_name("sobel", "sobe"));
}

}  // namespace
}  // namespace vidconv
