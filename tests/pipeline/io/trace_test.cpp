// The trace tells of every stage of every frame, and viewers can read it.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using nlohmann::json;
using test::TempDir;

constexpr std::int64_t frames = 37;

struct Span {
  std::string name;
  double begin, end;  // microseconds
  std::int64_t frame;
};
// Returns the spans by the name of their row.
std::map<std::string, std::vector<Span>> spans_of(const json& trace) {
  std::map<int, std::string> rows;
  std::map<std::string, std::vector<Span>> spans;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M" && event.at("name") == "thread_name")
      rows[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    const double begin = event.at("ts");
    spans[rows.at(event.at("tid"))].push_back({event.at("name"), begin,
                                               begin + event.at("dur").get<double>(),
                                               event.at("args").at("frame")});
  }
  return spans;
}

json trace_of(Device device, RunResult (*run_it)(Source&, Processor&, Sink&, const RunOptions&),
              const std::vector<int>& devices = {}) {
  const TempDir dir;
  Trace trace(dir / "trace.json");
  const auto source =
      open_source("pattern:64x48#" + std::to_string(frames), test::source_options_for(device));
  const auto processor =
      test::processor_for(*source, {"gaussian:sigma=1", "sobel"},
                          {.device = device, .devices = devices, .trace = &trace});
  const auto sink = open_sink("null:", {}, source->info());
  run_it(*source, *processor, *sink, {.trace = &trace});
  trace.finish();
  return json::parse(test::read_file(dir / "trace.json"));
}

class TraceTest : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (!test::has(GetParam())) GTEST_SKIP() << "no such device here";
  }
  std::set<std::string> rows() const {
    std::set<std::string> rows{"decode", "submit", "encode"};
    if (GetParam() == Device::cpu)
      rows.insert("convolve");
    else
      rows.insert({"device: upload", "device: convolve", "device: kernels", "device: download"});
    return rows;
  }
};

TEST_P(TraceTest, HasEveryStageOfEveryFrame) {
  for (const auto run_it : {run, run_serial}) {
    auto spans = spans_of(trace_of(GetParam(), run_it));
    const auto end = spans.extract("end: output");
    ASSERT_FALSE(end.empty());
    ASSERT_EQ(end.mapped().size(), 1);
    EXPECT_GE(end.mapped()[0].begin, spans.at("encode").back().end);
    std::set<std::string> seen;
    for (const auto& [row, list] : spans) {
      seen.insert(row);
      std::set<std::int64_t> numbers;
      for (const Span& span : list) numbers.insert(span.frame);
      EXPECT_EQ(std::ssize(numbers), frames) << row;
      EXPECT_EQ(*numbers.begin(), 0) << row;
      EXPECT_EQ(*numbers.rbegin(), frames - 1) << row;
    }
    EXPECT_EQ(seen, rows());
  }
}

TEST_P(TraceTest, SpansOfARowFollowOneAnother) {
  for (const auto& [row, list] : spans_of(trace_of(GetParam(), run)))
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_LE(list[i].begin, list[i].end) << row;
      // The device's clock is read in floats of milliseconds.
      if (i == 0) continue;
      EXPECT_GE(list[i].begin + 2, list[i - 1].end) << row << " " << list[i].frame;
    }
}

TEST_P(TraceTest, StagesOfAFrameFollowOneAnother) {
  const auto spans = spans_of(trace_of(GetParam(), run));
  const std::string middle = GetParam() == Device::cpu ? "convolve" : "device: convolve";
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames); ++i) {
    EXPECT_LE(spans.at("decode")[i].end, spans.at("submit")[i].begin);
    EXPECT_LE(spans.at(middle)[i].end, spans.at("encode")[i].begin + 500);  // two clocks
  }
}

std::string name_of_device(const testing::TestParamInfo<Device>& info) {
  return info.param == Device::cpu ? "Cpu" : "Cuda";
}
INSTANTIATE_TEST_SUITE_P(Devices, TraceTest, testing::Values(Device::cpu, Device::cuda),
                         name_of_device);

TEST(Trace, ShowsDevicesSideBySide) {
  if (!test::has(Device::cuda)) GTEST_SKIP() << "no such device here";
  const auto spans = spans_of(trace_of(Device::cuda, run, {0, 0}));
  for (const char* row : {"upload", "convolve", "kernels", "download"}) {
    std::set<std::int64_t> numbers;
    for (const char* device : {"cuda:0: ", "cuda:0 (2): "})
      for (const Span& span : spans.at(std::string(device) + row)) {
        EXPECT_EQ(span.frame % 2, device == std::string("cuda:0: ") ? 0 : 1);
        numbers.insert(span.frame);
      }
    EXPECT_EQ(std::ssize(numbers), frames) << row;
  }
}

TEST(Trace, UnwritableFilesAreRefused) {
  test::expect_error(Fault::output, {"/no/such/folder/trace.json"},
                     [] { Trace trace("/no/such/folder/trace.json"); });
  Trace full("/dev/full");
  full.add("row", "name", 0, Clock::now(), Clock::now());
  test::expect_error(Fault::output, {"/dev/full"}, [&] { full.finish(); });
}

}  // namespace
}  // namespace vidconv
