// Samples outside the picture: one rule, used by every variant on every device.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/picture/plane.h"

namespace vidconv {

enum class BorderMode : std::uint8_t {
  reflect101,  // ... c b | a b c d | c b ...   (the edge sample is not repeated)
  reflect,     // ... b a | a b c d | d c ...
  replicate,   // ... a a | a b c d | d d ...
  wrap,        // ... c d | a b c d | a b ...
  constant,    // ... V V | a b c d | V V ...
};

// Every mode and its name; code that reads or tests modes walks this table.
struct BorderName {
  BorderMode mode;
  std::string_view name;
};
inline constexpr BorderName border_modes[] = {
    {BorderMode::reflect101, "reflect101"}, {BorderMode::reflect, "reflect"},
    {BorderMode::replicate, "replicate"},   {BorderMode::wrap, "wrap"},
    {BorderMode::constant, "constant"},
};

constexpr std::string_view name_of(BorderMode mode) {
  for (const BorderName& border : border_modes)
    if (border.mode == mode) return border.name;
  return "";
}

struct Border {
  BorderMode mode = BorderMode::reflect101;
  // The grey level outside for `constant`, as a fraction of full scale (0 = black). Chroma planes
  // see their neutral code instead, because grey has no colour.
  double value = 0;
  bool operator==(const Border&) const = default;
};

// Returns the index in [0, n) of the sample that stands for index i of a row of n samples, for any
// i; -1 where `constant` supplies the value. n must be at least 1.
VIDCONV_HD constexpr int border_index(BorderMode mode, int i, int n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case BorderMode::reflect101: {
      if (n == 1) return 0;
      const int near = i < 0 ? -i : 2 * n - 2 - i;  // the usual case, and saves a division
      if (near >= 0 && near < n) return near;
      const int period = 2 * n - 2;
      int m = i % period;
      if (m < 0) m += period;
      return m < n ? m : period - m;
    }
    case BorderMode::reflect: {
      const int period = 2 * n;
      int m = i % period;
      if (m < 0) m += period;
      return m < n ? m : period - 1 - m;
    }
    case BorderMode::replicate:
      return i < 0 ? 0 : n - 1;
    case BorderMode::wrap: {
      const int m = i % n;
      return m < 0 ? m + n : m;
    }
    case BorderMode::constant:
      return -1;
  }
  return -1;
}

// Returns that index in a row of n samples that are whole pixels of `components` each: beyond the
// edges lie pixels, not samples.
VIDCONV_HD constexpr int border_index(BorderMode mode, int i, int n, int components) {
  if (i >= 0 && i < n) return i;
  int component = i % components;
  if (component < 0) component += components;
  const int pixel = border_index(mode, (i - component) / components, n / components);
  return pixel < 0 ? pixel : pixel * components + component;
}

}  // namespace vidconv
