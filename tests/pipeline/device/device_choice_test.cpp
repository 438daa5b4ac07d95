// Tests which devices a word means, on hosts with none, one and three of them.
#include "pipeline/device/device_choice.h"

#include <gtest/gtest.h>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

CudaDevices devices(int count) {
  CudaDevices found;
  for (int i = 0; i < count; ++i)
    found.devices.push_back({.index = i, .name = "double", .node = {}});
  if (count == 0) found.why_none = "no CUDA device";
  return found;
}

using Indices = std::vector<int>;

TEST(DeviceChoice, AWordForOneOrSeveral) {
  struct Case {
    const char* word;
    Indices indices, stand_ins;
  };
  for (const Case& c :
       {Case{"cuda", {0}, {}}, Case{"cuda:2", {2}, {}}, Case{"cuda:0,2", {0, 2}, {}},
        Case{"cuda:2,1,0", {2, 1, 0}, {}}, Case{"cuda:0,0", {0, 0}, {}},
        Case{"cuda:all", {0, 1, 2}, {0, 1, 2}}, Case{"auto", {0}, {1, 2}}}) {
    SCOPED_TRACE(c.word);
    const DeviceChoice choice = choose_device(parse_device(c.word), devices(3));
    EXPECT_EQ(choice.device, Device::cuda);
    EXPECT_EQ(choice.indices, c.indices);
    EXPECT_EQ(choice.stand_ins, c.stand_ins);
    EXPECT_EQ(choice.why.empty(), std::string(c.word) != "auto");
  }
  EXPECT_EQ(choose_device(parse_device("cuda:all"), devices(1)).indices, Indices{0});
  EXPECT_EQ(choose_device(parse_device("auto"), devices(1)).stand_ins, Indices{});
  for (const char* word : {"cpu", "auto"}) {
    const DeviceChoice choice = choose_device(parse_device(word), devices(0));
    EXPECT_EQ(choice.device, Device::cpu);
    EXPECT_TRUE(choice.indices.empty());
  }
}

// On a machine without a device, nobody who has not asked for one need hear of it.
TEST(DeviceChoice, ADeviceThatNobodyAskedForIsNotMissed) {
  for (const bool asked : {false, true})
    for (const bool expected : {false, true}) {
      CudaDevices found = devices(0);
      found.expected = expected;
      DeviceRequest wish = parse_device("auto");
      wish.asked = asked;
      const std::string why = choose_device(wish, found).why;
      EXPECT_EQ(why, asked || expected ? "convolving on the CPU: no CUDA device" : "");
    }
}

TEST(DeviceChoice, AListHasAnEnd) {
  std::string many = "cuda:0";
  for (int i = 0; i < 100; ++i) many += ",0";
  test::expect_error(Fault::usage, {"cuda:0,0"}, [&] { parse_device(many); });
}

TEST(DeviceChoice, WhatIsNotThere) {
  test::expect_error(Fault::device, {"'cuda:0,9'", "no cuda:9", "3 CUDA devices"},
                     [&] { choose_device(parse_device("cuda:0,9"), devices(3)); });
  test::expect_error(Fault::device, {"'cuda:3'", "no cuda:3"},
                     [&] { choose_device(parse_device("cuda:3"), devices(3)); });
  for (const char* word : {"cuda", "cuda:0", "cuda:0,1", "cuda:all"})
    test::expect_error(Fault::device, {word, "no CUDA device"},
                       [&] { choose_device(parse_device(word), devices(0)); });
}

}  // namespace
}  // namespace vidconv
