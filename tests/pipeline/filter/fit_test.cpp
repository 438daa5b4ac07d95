// Fitting processors are made for a device without enough memory, or without anything.
#include <gtest/gtest.h>

#include "pipeline/filter/processor_fit.h"
#include "pipeline/sink/sink.h"
#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

struct Fit {
  std::vector<std::string> lines;
  std::vector<MessageKind> kinds;  // one per line
  ProcessorOptions options;
  std::unique_ptr<Processor> processor;
};

// Makes one on a device with memory for `room` slots; -1: one that fails otherwise.
Fit make_on(int room, int slots, bool or_cpu) {
  Fit fit;
  fit.options = {.device = Device::cuda, .slots = slots, .variant = {}};
  const auto source = open_source("pattern:16x16#1", {});
  fit.processor = make_fitting_processor(
      [&](ProcessorOptions options) {
        if (options.device == Device::cuda && room < 0)
          throw Error(Fault::device, "cannot use the device", "cuda:0", "injected");
        if (options.device == Device::cuda && options.slots > room)
          throw Error(MessageKind::memory, "cannot allocate device memory", "", "injected");
        options.device = Device::cpu;  // as if
        return test::processor_for(*source, {"sobel"}, options);
      },
      fit.options, or_cpu,
      [&](MessageKind kind, const std::string& line) {
        fit.kinds.push_back(kind);
        fit.lines.push_back(line);
      });
  return fit;
}

TEST(Fit, WhatFitsIsNotTalkedAbout) {
  const Fit fit = make_on(16, 16, false);
  EXPECT_TRUE(fit.processor);
  EXPECT_EQ(fit.options.slots, 16);
  EXPECT_TRUE(fit.lines.empty());
}

TEST(Fit, FewerSlotsInOneLine) {
  const Fit fit = make_on(3, 16, true);
  EXPECT_TRUE(fit.processor);
  EXPECT_EQ(fit.options.slots, 2);
  EXPECT_EQ(fit.options.device, Device::cuda);
  ASSERT_EQ(fit.lines.size(), 1u);
  EXPECT_EQ(fit.kinds[0], MessageKind::fallback);
  EXPECT_NE(fit.lines[0].find("16"), std::string::npos) << fit.lines[0];
  EXPECT_NE(fit.lines[0].find('2'), std::string::npos) << fit.lines[0];
}

TEST(Fit, TheCpuInOneLine) {
  for (const int room : {0, -1}) {
    const Fit fit = make_on(room, 8, true);
    EXPECT_TRUE(fit.processor);
    EXPECT_EQ(fit.options.device, Device::cpu);
    EXPECT_EQ(fit.options.slots, 8);
    ASSERT_EQ(fit.lines.size(), 1u);
    EXPECT_EQ(fit.kinds[0], room < 0 ? MessageKind::device_failed : MessageKind::fallback);
    EXPECT_NE(fit.lines[0].find("CPU"), std::string::npos) << fit.lines[0];
    EXPECT_NE(fit.lines[0].find("injected"), std::string::npos) << fit.lines[0];
  }
}

// A failure is refused where nothing may be lost, a want of memory is not.
TEST(Fit, StrictEndsTheRunOfADeviceThatFails) {
  const auto make_strictly = [](const Error& failure) {
    ProcessorOptions options{.device = Device::cuda, .variant = {}};
    const auto source = open_source("pattern:16x16#1", {});
    return make_fitting_processor(
        [&](ProcessorOptions with) {
          if (with.device == Device::cuda) throw failure;
          return test::processor_for(*source, {"sobel"}, with);
        },
        options, true,
        [](MessageKind kind, const std::string& line) {
          if (kind == MessageKind::device_failed) refuse_loss(kind, line);
        });
  };
  test::expect_error(Fault::device, {"injected", "`strict`"}, [&] {
    make_strictly(Error(Fault::device, "cannot use the device", "cuda:0", "injected"));
  });
  EXPECT_TRUE(make_strictly(Error(MessageKind::memory, "cannot allocate", "", "injected")));
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
