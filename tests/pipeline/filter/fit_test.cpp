// What becomes of a device without enough memory, or without anything.
#include <gtest/gtest.h>

#include "pipeline/filter/processor_fit.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

struct Outcome {
  std::vector<std::string> lines;
  ProcessorOptions options;
  std::unique_ptr<Processor> processor;
};

// On a device with memory for so many slots; -1: one that fails otherwise.
Outcome make_on(int room, int slots, bool or_cpu) {
  Outcome outcome;
  outcome.options = {.device = Device::cuda, .slots = slots, .variant = {}};
  const auto source = open_source("pattern:16x16#1", {});
  outcome.processor = make_fitting_processor(
      [&](ProcessorOptions options) {
        if (options.device == Device::cuda && room < 0)
          throw Error(Fault::device, "cannot use the device", "cuda:0", "injected");
        if (options.device == Device::cuda && options.slots > room)
          throw Error(Message::memory, "cannot allocate device memory", "", "injected");
        options.device = Device::cpu;  // as if
        return test::processor_for(*source, {"sobel"}, options);
      },
      outcome.options, or_cpu,
      [&](Message kind, const std::string& line) {
        EXPECT_EQ(kind, Message::fallback);
        outcome.lines.push_back(line);
      });
  return outcome;
}

TEST(Fit, WhatFitsIsNotTalkedAbout) {
  const Outcome outcome = make_on(16, 16, false);
  EXPECT_TRUE(outcome.processor);
  EXPECT_EQ(outcome.options.slots, 16);
  EXPECT_TRUE(outcome.lines.empty());
}

TEST(Fit, FewerSlotsInOneLine) {
  const Outcome outcome = make_on(3, 16, true);
  EXPECT_TRUE(outcome.processor);
  EXPECT_EQ(outcome.options.slots, 2);
  EXPECT_EQ(outcome.options.device, Device::cuda);
  ASSERT_EQ(outcome.lines.size(), 1u);
  EXPECT_NE(outcome.lines[0].find("16"), std::string::npos) << outcome.lines[0];
  EXPECT_NE(outcome.lines[0].find("2"), std::string::npos) << outcome.lines[0];
}

TEST(Fit, TheCpuInOneLine) {
  for (const int room : {0, -1}) {
    const Outcome outcome = make_on(room, 8, true);
    EXPECT_TRUE(outcome.processor);
    EXPECT_EQ(outcome.options.device, Device::cpu);
    EXPECT_EQ(outcome.options.slots, 8);
    ASSERT_EQ(outcome.lines.size(), 1u);
    EXPECT_NE(outcome.lines[0].find("CPU"), std::string::npos) << outcome.lines[0];
    EXPECT_NE(outcome.lines[0].find("injected"), std::string::npos) << outcome.lines[0];
  }
}

TEST(Fit, AnErrorWhereTheDeviceWasAskedFor) {
  for (const int room : {0, -1})
    test::expect_error(Fault::device, {"injected"}, [&] { make_on(room, 8, false); });
}

TEST(Fit, OtherErrorsAreNotTheDevices) {
  ProcessorOptions options{.device = Device::cuda, .variant = {}};
  test::expect_error(Fault::usage, {"mine"}, [&] {
    make_fitting_processor(
        [](const ProcessorOptions&) -> std::unique_ptr<Processor> {
          throw Error(Fault::usage, "mine", "", "");
        },
        options, true, {});
  });
}

}  // namespace
}  // namespace vidconv
