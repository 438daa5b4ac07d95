#include "src/lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <thread>

#include "kernels/convolve.h"
#include "kernels/presets.h"
#include "pipeline/cuda.h"
#include "pipeline/format.h"

namespace vidconv {
namespace {

std::string range_of(const Parameter& p) {
  if (!p.choices.empty()) return fmt::format("{}", fmt::join(p.choices, "|"));
  return fmt::format("{}..{}", p.min, p.max);
}

std::string default_of(const Parameter& p) {
  if (!p.fallback) return "";
  if (!p.choices.empty())
    return fmt::format(" (default {})", p.choices[static_cast<std::size_t>(*p.fallback)]);
  return fmt::format(" (default {})", *p.fallback);
}

}  // namespace

void list_kernels() {
  for (const Preset& preset : presets()) {
    fmt::print("{:<12} {}\n", preset.name, preset.description);
    for (const Parameter& p : preset.parameters)
      fmt::print("  {:<10} {:<12} {}{}\n", p.name, range_of(p), p.description, default_of(p));
  }
  fmt::print(R"(
matrix:R;R;...   rows of numbers: matrix:0 -1 0;-1 5 -1;0 -1 0
row:R  column:R  one row, or one column, of numbers
file:PATH        rows of numbers in a text file; # begins a comment

Every filter takes
  scale      factor on the response, a number, a fraction (1/9) or, for one kernel, auto (1/sum)
  bias       added to the response, as a fraction of full scale
  abs        1: absolute value before the clamp
  flip       1: mathematical convolution instead of correlation
  rotate     90|180|270, clockwise
  anchor     x,y of the tap on the output pixel (matrix, row, column, file)
)");
}

void list_formats() {
  fmt::print("{:<14} {:<11} {:>5}  {}\n", "format", "components", "bits", "chroma");
  for (const PixelFormat& format : formats()) {
    std::string names, chroma;
    for (const Component& c : format.components) {
      if (c.kind != Component::Kind::padding) names += c.name;
      if (c.kind == Component::Kind::chroma)
        chroma = fmt::format("1/{} x 1/{}", c.subsampling.x, c.subsampling.y);
    }
    const SampleType& sample = format.components[0].sample;
    fmt::print("{:<14} {:<11} {:>5}  {}\n", format.name, names,
               sample.storage == Storage::f32 ? "float" : std::to_string(sample.depth), chroma);
  }
  fmt::print(R"(
Samples in the other order of bytes (gray16be) are turned around exactly. Any other format that FFmpeg
can convert is filtered as the nearest of these.
)");
}

void list_variants() {
  const auto print = [](std::span<const Variant> table) {
    for (const Variant& v : table) {
      fmt::print("{:<24} {:<5} {}\n", v.name, v.device == Device::cpu ? "cpu" : "cuda",
                 v.description);
      if (!v.needs.empty()) fmt::print("{:<30} ({})\n", "", v.needs);
    }
  };
  fmt::print("{:<24} {:<5}\n", "variant", "device");
  print(variants());
  fmt::print("\nTo study, never chosen unasked:\n");
  print(study_variants());
}

void list_devices() {
  fmt::print("{:<8} CPU, {} threads\n", "cpu", std::thread::hardware_concurrency());
  const CudaDevices found = cuda_devices();
  for (const CudaDevice& device : found.devices)
    fmt::print("cuda:{:<3} {}, compute capability {}.{}, {:.1f} GiB\n", device.index, device.name,
               device.major, device.minor, static_cast<double>(device.memory) / (1 << 30));
  if (found.devices.empty()) fmt::print("no CUDA device: {}\n", found.why_none);
}

}  // namespace vidconv
