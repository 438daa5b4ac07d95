#include "bench/check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench/truth.h"

namespace vidconv::bench {
namespace {

double code_at(SampleType sample, std::span<const std::byte> plane, std::size_t i) {
  const auto bytes = static_cast<std::size_t>(sample.bytes());
  if (sample.storage == Storage::f32) {
    float value = 0;
    std::memcpy(&value, &plane[i * bytes], bytes);
    return static_cast<double>(value);
  }
  std::uint16_t code = 0;
  std::memcpy(&code, &plane[i * bytes], bytes);  // little endian, or one byte of it
  return code;
}

}  // namespace

std::optional<Check> check_result(const Case& c, std::span<const std::byte> source,
                                  std::span<const std::byte> ours,
                                  std::span<const std::byte> result) {
  constexpr double most_products = 1e8;  // some tenths of a second
  int margin = 0;
  double taps = 0;
  for (const Kernel& k : c.filter.kernels) {
    margin = std::max({margin, k.width(), k.height()});
    taps += static_cast<double>(k.taps().size());
  }
  const int columns = c.width - 2 * margin, rows = c.height - 2 * margin;
  if (columns < 1 || rows < 1) return std::nullopt;
  const bool floats = c.sample.storage == Storage::f32;
  std::vector<double> codes;
  const std::size_t count = source.size() / static_cast<std::size_t>(c.sample.bytes());
  for (std::size_t i = 0; i < count; ++i) codes.push_back(code_at(c.sample, source, i));
  const Truth truth(c.filter, codes, c.width, c.height, c.sample.max());
  const int looked_at =
      static_cast<int>(std::clamp(most_products / (taps * columns), 1.0, double(rows)));
  const int step = rows / looked_at;

  Check check{0, 0};
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const auto i = static_cast<std::size_t>(margin + y) * static_cast<std::size_t>(c.width) +
                     static_cast<std::size_t>(margin + x);
      double got = code_at(c.sample, result, i);
      // A peer may let codes of 10 bits grow up to 65535; a limit would cost it one instruction
      // more.
      if (!floats) got = std::min(got, static_cast<double>(c.sample.max()));
      check.equal += got == code_at(c.sample, ours, i) ? 1 : 0;
      if (y % step != 0) continue;
      double want = truth.at(margin + x, margin + y);
      if (!floats) want = std::clamp(want, 0.0, static_cast<double>(c.sample.max()));
      const double off = std::abs(got - want);
      if (!(off <= check.off)) check.off = off;  // a NaN too
    }
  check.equal /= static_cast<double>(columns) * rows;
  return check;
}

}  // namespace vidconv::bench
