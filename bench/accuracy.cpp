// vidconv-bench accuracy: every preset and some noise kernels against real arithmetic in double,
// rounded once: the table of docs/numerics.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/commands.h"
#include "bench/report.h"
#include "bench/truth.h"
#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "kernels/variants/variants.h"

namespace vidconv::bench {
namespace {

struct AccuracySettings {
  std::vector<std::string> specs;
  std::vector<int> depths = {8, 10, 12, 16};
  int width = 480, height = 270;
  std::string json;
};

// Smooth shades, an edge, a texture and sensor noise: one code a sample.
std::vector<double> natural(int width, int height, int max) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> codes;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double v = 0.35 + 0.25 * std::sin(x * 0.021) * std::cos(y * 0.017);
      if (x + 2 * y > width) v += 0.3;
      if (x % 64 < 24 && y % 48 < 30) v += 0.15 * std::sin(x * 1.3) * std::sin(y * 0.9);
      codes.push_back(std::floor(std::clamp(v + noise(random), 0.0, 1.0) * max + 0.5));
    }
  }
  return codes;
}

// Filters the picture in an integer sample type; returns one code a sample.
std::vector<double> filtered(const Plan& plan, const std::vector<double>& codes, int width,
                             int height) {
  const auto bytes = static_cast<std::size_t>(plan.sample.bytes());
  std::vector<std::byte> src(codes.size() * bytes), dst(src.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<std::uint16_t>(codes[i]);  // little endian
    std::memcpy(&src[i * bytes], &code, bytes);
  }
  const std::ptrdiff_t stride = width * plan.sample.bytes();
  const ConstBytePlane from{.data = src.data(), .stride = stride, .width = width, .height = height};
  const PlanePair pair{from, from.at(dst.data())};
  pick(plan, Device::cpu).convolver(1)->run({&pair, 1}, nullptr);
  std::vector<double> result;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, &dst[i * bytes], bytes);
    result.push_back(code);
  }
  return result;
}

struct Accuracy {
  double worst = 0;  // code values
  double equal = 0;  // share of samples
};

Accuracy measure(const Filter& filter, const Plan& plan, const AccuracySettings& settings) {
  const int max = plan.sample.max();
  const auto codes = natural(settings.width, settings.height, max);
  const auto got = filtered(plan, codes, settings.width, settings.height);
  const Truth truth(filter, codes, settings.width, settings.height, max);
  Accuracy result;
  for (int y = 0; y < settings.height; ++y) {
    for (int x = 0; x < settings.width; ++x) {
      const double v = truth.at(x, y);
      const double code = got[static_cast<std::size_t>(y * settings.width + x)];
      const double want = std::clamp(std::floor(v + 0.5), 0.0, static_cast<double>(max));
      // Where the truth is a tie, the double's own roundings decide which way it goes.
      const double tie = std::abs(v + 0.5 - std::round(v + 0.5));
      const bool equal = code == want || (tie < 1e-9 * std::max(1.0, std::abs(v)) &&
                                          std::abs(code - v) < 0.5 + 1e-6);
      if (!equal) result.worst = std::max(result.worst, std::abs(code - want));
      result.equal += equal ? 1 : 0;
    }
  }
  result.equal /= static_cast<double>(got.size());
  return result;
}

const char* word_for(const Plan& plan) {
  return plan.exact                     ? "exact"
         : plan.arith == Arith::int32   ? "int32"
         : plan.arith == Arith::float32 ? "float"
                                        : "double";
}

int run(const AccuracySettings& settings) {
  std::vector<std::string> specs = settings.specs;
  if (specs.empty()) {
    for (const Preset& preset : presets())
      if (FilterSpec::parse(preset.name).make().convolves()) specs.emplace_back(preset.name);
    for (const char* spec :
         {"gaussian:sigma=5", "box:size=31", "sharpen:amount=0.3", "unsharp:threshold=0.02",
          "random:1,3:scale=auto", "random:2,5:scale=auto", "random:3,9:scale=auto",
          "random:4,15:scale=auto"})
      specs.emplace_back(spec);
  }
  Table table{
      .id = "accuracy",
      .title = fmt::format("against double, rounded once; {}x{} samples, reflect101",
                           settings.width, settings.height),
      .columns = {"filter"},
      .rows = {},
      .notes = {"error: the largest difference in code values; equal: share of the samples, "
                "rounded down"}};
  for (int depth : settings.depths) table.columns.push_back(fmt::format("{} bits", depth));

  for (const std::string& spec : specs) {
    const Filter filter = FilterSpec::parse(spec).make();
    std::vector<Cell> row = {spec};
    for (int depth : settings.depths) {
      const SampleType sample{depth == 8 ? Storage::u8 : Storage::u16, depth, 0};
      const Plan plan = make_plan(filter, sample, {}, Role::colour);
      const Accuracy a = measure(filter, plan, settings);
      row.emplace_back(fmt::format("{}, {:.0f}, {:.2f}%", word_for(plan), a.worst,
                                   std::floor(a.equal * 10000) / 100));
    }
    table.add(std::move(row));
  }
  publish({.command = typed_command(), .machine = describe_machine(), .tables = {table}},
          settings.json);
  return 0;
}

}  // namespace

Run accuracy_command(CLI::App& app) {
  auto settings = std::make_shared<AccuracySettings>();
  app.add_option("--kernel", settings->specs,
                 "specifications; without any every preset, and noise");
  app.add_option("--depth", settings->depths, "bits a sample, 8 to 16")->check(CLI::Range(8, 16));
  app.add_option("--width", settings->width, "of the picture")->check(CLI::Range(1, 8192));
  app.add_option("--height", settings->height, "of the picture")->check(CLI::Range(1, 8192));
  app.add_option("--json", settings->json, "write JSON to this file; - for stdout");
  return [settings] { return run(*settings); };
}

}  // namespace vidconv::bench
