// The arithmetic of linear light, sample by sample: the same functions make the CPU's loops and the
// CUDA kernels.
//
// Compiled without contraction, so that each operation is one IEEE operation of floats and both
// sides give the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/light/light.h"
#include "kernels/picture/border.h"

namespace vidconv {

VIDCONV_HD inline std::uint32_t bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}

// An odd function, by lines between knots: 512 to an octave, evenly spread in it, from
// 2^first_octave, the first knot, to the last one. It is a line through 0 below the first knot, and
// has the last value beyond the last.
struct Curve {
  static constexpr int shift = 14;  // low bits of a float, below those that number its knot
  const float* knots = nullptr;
  std::uint32_t first = 0, last = 0;  // bits of the first and of the last knot as floats
  float slope = 0;                    // slope below the first knot

  VIDCONV_HD float operator()(float x) const {
    std::uint32_t bits = bits_of(x) & 0x7FFFFFFFU;  // bits of |x|; 0 for -0 too
    if (bits < first) return x * slope;
    if (bits >= last) bits = last - 1;
    const std::uint32_t below = (bits - first) >> shift;
    const float part = static_cast<float>(bits & ((1U << shift) - 1)) * (1.0F / (1U << shift));
    const float a = knots[below], b = knots[below + 1];
    const float y = a + (b - a) * part;
    return x < 0 ? -y : y;
  }
};

// A curve's knots and where they lie.
struct CurveTable {
  std::vector<float> knots;
  int first_octave = 0, end_octave = 0;
  // Returns the curve over `memory`, which holds a copy of `knots`.
  Curve over(const float* memory) const;
};

// Makes the curve in the direction that a step needs.
CurveTable make_curve(Transfer transfer, LightStep step);

// A plan in numbers. `curve` is that of the step.
struct LightMath {
  Curve curve;
  ColourModel model;
  int shift;  // shift of stored codes
  int sub_x, sub_y;
  Siting siting_x, siting_y;
  float black, luma_unit,
      luma_span;  // signal = (code - black) * unit; code = signal * span + black
  float neutral, chroma_unit, chroma_span;  // as above, for chroma from -1/2 to 1/2
  float kr, kg, kb;
  float r_of_cr, b_of_cb, g_of_cr, g_of_cb;  // R = Y + r_of_cr * Cr, G = Y - g_of_cb * Cb - ...
  float cr_of_r, cb_of_b;                    // Cr = (R - Y) * cr_of_r
  float min, max_luma, max_chroma;           // limits of codes that are written
};
LightMath make_light_math(const LightPlan& plan, const Curve& curve);

struct LightPlanes {
  ConstBytePlane src[3];
  BytePlane dst[3];
};

template <class T>
VIDCONV_HD inline float code_at(const ConstBytePlane& plane, int x, int y, int shift) {
  const T stored = plane.as<const T>().row(y)[static_cast<std::ptrdiff_t>(x) * plane.step];
  return static_cast<float>(stored >> shift);
}

VIDCONV_HD inline float light_at(const ConstBytePlane& plane, int x, int y) {
  return plane.as<const float>().row(y)[static_cast<std::ptrdiff_t>(x) * plane.step];
}

template <class T>
VIDCONV_HD inline void put_code(const BytePlane& plane, int x, int y, int shift, float value,
                                float min, float max) {
  value = value < min ? min : value > max ? max : value;  // a half was added, so this rounds
  plane.as<T>().row(y)[static_cast<std::ptrdiff_t>(x) * plane.step] =
      static_cast<T>(static_cast<unsigned>(value) << shift);
}

VIDCONV_HD inline void put_light(const BytePlane& plane, int x, int y, float value) {
  plane.as<float>().row(y)[static_cast<std::ptrdiff_t>(x) * plane.step] = value;
}

// The two chroma samples, out of n, whose mean is the chroma at luma sample i; both are the same
// where it has one of its own.
struct Neighbours {
  int a, b;
};
VIDCONV_HD inline Neighbours chroma_neighbours(int factor, Siting siting, int i, int n) {
  if (factor != 2 || siting == Siting::centre) return {i / factor, i / factor};
  const int next = (i + 1) / 2;
  return {i / 2, next < n ? next : n - 1};
}

// The luma samples, out of n, that chroma sample i is made of: weight[k] of sample at[k].
struct Shares {
  int count;
  int at[5];
  float weight[5];
};
VIDCONV_HD inline Shares luma_shares(int factor, Siting siting, int i, int n) {
  Shares s{};
  if (factor == 2 && siting == Siting::first) {
    // With linear interpolation the other way this restores the samples (the 5/3 filters of Le Gall
    // and Tabatabai, ICASSP 1988).
    const float weights[5] = {-0.125F, 0.25F, 0.75F, 0.25F, -0.125F};
    s.count = 5;
    for (int k = 0; k < 5; ++k) {
      s.at[k] = border_index(BorderMode::reflect101, 2 * i + k - 2, n);
      s.weight[k] = weights[k];
    }
    return s;
  }
  for (int x = i * factor; x < (i + 1) * factor && x < n; ++x) s.at[s.count++] = x;
  for (int k = 0; k < s.count; ++k) s.weight[k] = 1.0F / static_cast<float>(s.count);
  return s;
}

// Computes light at luma sample (x, y) from codes.
template <class T, ColourModel model>
VIDCONV_HD inline void to_light(const LightMath& m, const LightPlanes& p, int x, int y) {
  const auto signal = [&](int i) {
    return (code_at<T>(p.src[i], x, y, m.shift) - m.black) * m.luma_unit;
  };
  if constexpr (model != ColourModel::yuv) {
    for (int i = 0; i < (model == ColourModel::grey ? 1 : 3); ++i)
      put_light(p.dst[i], x, y, m.curve(signal(i)));
  } else {
    const Neighbours u = chroma_neighbours(m.sub_x, m.siting_x, x, p.src[1].width);
    const Neighbours v = chroma_neighbours(m.sub_y, m.siting_y, y, p.src[1].height);
    const auto chroma = [&](int i) {
      const auto mean_of_row = [&](int row) {
        const float a = code_at<T>(p.src[i], u.a, row, m.shift);
        return u.a == u.b ? a : (a + code_at<T>(p.src[i], u.b, row, m.shift)) * 0.5F;
      };
      const float a = mean_of_row(v.a);
      const float mean = v.a == v.b ? a : (a + mean_of_row(v.b)) * 0.5F;
      return (mean - m.neutral) * m.chroma_unit;
    };
    const float luma = signal(0), cb = chroma(1), cr = chroma(2);
    put_light(p.dst[0], x, y, m.curve(luma + m.r_of_cr * cr));
    put_light(p.dst[1], x, y, m.curve((luma - m.g_of_cb * cb) - m.g_of_cr * cr));
    put_light(p.dst[2], x, y, m.curve(luma + m.b_of_cb * cb));
  }
}

struct Signals {
  float luma, r, b;
};
VIDCONV_HD inline Signals signals_at(const LightMath& m, const LightPlanes& p, int x, int y) {
  const float r = m.curve(light_at(p.src[0], x, y)), g = m.curve(light_at(p.src[1], x, y)),
              b = m.curve(light_at(p.src[2], x, y));
  return {(m.kr * r + m.kg * g) + m.kb * b, r, b};
}

// Writes the code of sample (x, y) of a component that has luma's resolution, from its signal.
template <class T>
VIDCONV_HD inline void put_luma_code(const LightMath& m, const LightPlanes& p, int i, int x, int y,
                                     float signal) {
  put_code<T>(p.dst[i], x, y, m.shift, signal * m.luma_span + (m.black + 0.5F), m.min, m.max_luma);
}

// Computes codes of luma sample (x, y), or of all components that have its resolution, from light.
template <class T, ColourModel model>
VIDCONV_HD inline void to_codes(const LightMath& m, const LightPlanes& p, int x, int y) {
  if constexpr (model == ColourModel::yuv)
    put_luma_code<T>(m, p, 0, x, y, signals_at(m, p, x, y).luma);
  else
    for (int i = 0; i < (model == ColourModel::grey ? 1 : 3); ++i)
      put_luma_code<T>(m, p, i, x, y, m.curve(light_at(p.src[i], x, y)));
}

// Computes codes of chroma sample (x, y), in both planes. `signals(x, y)` returns those of a luma
// sample: signals_at(), or what it returned before.
template <class T, class SignalsAt>
VIDCONV_HD inline void to_chroma_codes(const LightMath& m, const LightPlanes& p, int x, int y,
                                       SignalsAt signals) {
  const Shares across = luma_shares(m.sub_x, m.siting_x, x, p.src[0].width);
  const Shares down = luma_shares(m.sub_y, m.siting_y, y, p.src[0].height);
  float cb = 0, cr = 0;
  for (int j = 0; j < down.count; ++j) {
    float row_cb = 0, row_cr = 0;
    for (int i = 0; i < across.count; ++i) {
      const Signals s = signals(across.at[i], down.at[j]);
      row_cb = row_cb + (s.b - s.luma) * across.weight[i];
      row_cr = row_cr + (s.r - s.luma) * across.weight[i];
    }
    cb = cb + row_cb * down.weight[j];
    cr = cr + row_cr * down.weight[j];
  }
  const auto put = [&](int i, float signal) {
    put_code<T>(p.dst[i], x, y, m.shift, signal * m.chroma_span + (m.neutral + 0.5F), m.min,
                m.max_chroma);
  };
  put(1, cb * m.cb_of_b);
  put(2, cr * m.cr_of_r);
}

// Calls body.operator()<T, model>() for the samples and the colour model of `plan`.
template <class Body>
auto with_light_types(const LightPlan& plan, Body body) {
  const auto with_model = [&]<class T>() {
    switch (plan.model) {
      case ColourModel::grey:
        return body.template operator()<T, ColourModel::grey>();
      case ColourModel::rgb:
        return body.template operator()<T, ColourModel::rgb>();
      default:
        return body.template operator()<T, ColourModel::yuv>();
    }
  };
  if (plan.sample.storage == Storage::u8) return with_model.template operator()<std::uint8_t>();
  return with_model.template operator()<std::uint16_t>();
}

inline LightPlanes light_planes(std::span<const PlanePair> pairs) {
  LightPlanes planes;
  for (std::size_t i = 0; i < pairs.size() && i < 3; ++i) {
    planes.src[i] = pairs[i].src;
    planes.dst[i] = pairs[i].dst;
  }
  return planes;
}

}  // namespace vidconv
