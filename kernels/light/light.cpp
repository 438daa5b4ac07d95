#include "kernels/light/light.h"

#include <cmath>
#include <stdexcept>

#include "kernels/light/light_math.h"

namespace vidconv {
namespace {

// ITU-R BT.2020's precise constants, of which BT.709 prints three digits.
constexpr double bt709_alpha = 1.09929682680944, bt709_beta = 0.018053968510807;
constexpr double smpte240m_alpha = 1.111572195921731, smpte240m_beta = 0.022821585529445;

// Decodes a power with a straight piece near 0: signal = slope * light up to beta.
double light_of_power(double signal, double alpha, double beta, double slope, double exponent) {
  return signal < slope * beta ? signal / slope
                               : std::pow((signal + alpha - 1) / alpha, 1 / exponent);
}
double signal_of_power(double light, double alpha, double beta, double slope, double exponent) {
  return light < beta ? slope * light : alpha * std::pow(light, exponent) - (alpha - 1);
}

// SMPTE ST 2084.
constexpr double pq_m1 = 2610.0 / 16384, pq_m2 = 2523.0 / 32;
constexpr double pq_c1 = 3424.0 / 4096, pq_c2 = 2413.0 / 128, pq_c3 = 2392.0 / 128;

double pq_light(double signal) {
  const double p = std::pow(signal, 1 / pq_m2);
  return std::pow(std::max(p - pq_c1, 0.0) / (pq_c2 - pq_c3 * p), 1 / pq_m1);
}
double pq_signal(double light) {
  const double p = std::pow(light, pq_m1);
  return std::pow((pq_c1 + pq_c2 * p) / (1 + pq_c3 * p), pq_m2);
}
// The derivative of PQ's light at 1, d signal / d light, where (c1 + c2) / (1 + c3) is 1.
const double pq_slope = pq_m2 * pq_m1 * (pq_c2 - pq_c3) / (1 + pq_c3);

// ARIB STD-B67.
constexpr double hlg_a = 0.17883277, hlg_b = 1 - 4 * hlg_a;
const double hlg_c = 0.5 - hlg_a * std::log(4 * hlg_a);

double positive_light(Transfer transfer, double e) {
  switch (transfer) {
    case Transfer::linear:
      return e;
    case Transfer::bt709:
      return light_of_power(e, bt709_alpha, bt709_beta, 4.5, 0.45);
    case Transfer::srgb:
      return light_of_power(e, 1.055, 0.0031308, 12.92, 1 / 2.4);
    case Transfer::gamma22:
      return std::pow(e, 2.2);
    case Transfer::gamma28:
      return std::pow(e, 2.8);
    case Transfer::smpte240m:
      return light_of_power(e, smpte240m_alpha, smpte240m_beta, 4, 0.45);
    case Transfer::pq:
      return e <= 1 ? pq_light(e) : 1 + (e - 1) / pq_slope;
    case Transfer::hlg:
      return e <= 0.5 ? e * e / 3 : (std::exp((e - hlg_c) / hlg_a) + hlg_b) / 12;
  }
  throw std::invalid_argument("unknown transfer function");
}

double positive_signal(Transfer transfer, double l) {
  switch (transfer) {
    case Transfer::linear:
      return l;
    case Transfer::bt709:
      return signal_of_power(l, bt709_alpha, bt709_beta, 4.5, 0.45);
    case Transfer::srgb:
      return signal_of_power(l, 1.055, 0.0031308, 12.92, 1 / 2.4);
    case Transfer::gamma22:
      return std::pow(l, 1 / 2.2);
    case Transfer::gamma28:
      return std::pow(l, 1 / 2.8);
    case Transfer::smpte240m:
      return signal_of_power(l, smpte240m_alpha, smpte240m_beta, 4, 0.45);
    case Transfer::pq:
      return l <= 1 ? pq_signal(l) : 1 + (l - 1) * pq_slope;
    case Transfer::hlg:
      return l <= 1.0 / 12 ? std::sqrt(3 * l) : hlg_a * std::log(12 * l - hlg_b) + hlg_c;
  }
  throw std::invalid_argument("unknown transfer function");
}

}  // namespace

double light_of(Transfer transfer, double signal) {
  return std::copysign(positive_light(transfer, std::abs(signal)), signal);
}

double signal_of(Transfer transfer, double light) {
  return light == 0 ? 0 : std::copysign(positive_signal(transfer, std::abs(light)), light);
}

// The signals go from below half a code of 16 bits to beyond every colour that YUV can say, 2.2 or
// so.
constexpr int first_signal_octave = -17, end_signal_octave = 2;
constexpr int first_light_octave = -48;  // darker than code 1 of 16 bits in any transfer function

CurveTable make_curve(Transfer transfer, LightStep step) {
  CurveTable table;
  if (step == LightStep::to_light) {
    table.first_octave = first_signal_octave;
    table.end_octave = end_signal_octave;
  } else {
    table.first_octave = first_light_octave;
    table.end_octave = std::ilogb(light_of(transfer, 1 << end_signal_octave)) + 1;
  }
  constexpr int in_octave = 1 << (23 - Curve::shift);
  for (int octave = table.first_octave; octave <= table.end_octave; ++octave)
    for (int k = 0; k < (octave < table.end_octave ? in_octave : 1); ++k) {
      const double place = std::ldexp(1 + static_cast<double>(k) / in_octave, octave);
      table.knots.push_back(static_cast<float>(
          step == LightStep::to_light ? light_of(transfer, place) : signal_of(transfer, place)));
    }
  return table;
}

Curve CurveTable::over(const float* memory) const {
  Curve curve;
  const float first = std::ldexp(1.0F, first_octave);
  curve.knots = memory;
  curve.first = bits_of(first);
  curve.last = bits_of(std::ldexp(1.0F, end_octave));
  curve.slope = knots[0] / first;
  return curve;
}

LightMath make_light_math(const LightPlan& plan, const Curve& curve) {
  LightMath m{};
  m.curve = curve;
  m.model = plan.model;
  m.shift = plan.sample.shift;
  m.sub_x = plan.subsampling.x;
  m.sub_y = plan.subsampling.y;
  m.siting_x = plan.siting_x;
  m.siting_y = plan.siting_y;

  const int unit = 1 << (plan.sample.depth - 8), max = plan.sample.max();
  const bool limited = plan.limited;
  const double luma_span = limited ? 219 * unit : max, chroma_span = limited ? 224 * unit : max;
  m.black = static_cast<float>(limited ? 16 * unit : 0);
  m.luma_unit = static_cast<float>(1 / luma_span);
  m.luma_span = static_cast<float>(luma_span);
  m.neutral = static_cast<float>(plan.sample.neutral());
  m.chroma_unit = static_cast<float>(1 / chroma_span);
  m.chroma_span = static_cast<float>(chroma_span);
  const bool clamped = plan.codes == Codes::limited;
  m.min = static_cast<float>(clamped ? 16 * unit : 0);
  m.max_luma = static_cast<float>(clamped ? 235 * unit : max);
  m.max_chroma = static_cast<float>(clamped ? 240 * unit : max);

  const double kr = plan.kr, kb = plan.kb, kg = 1 - kr - kb;
  m.kr = static_cast<float>(kr);
  m.kg = static_cast<float>(kg);
  m.kb = static_cast<float>(kb);
  m.r_of_cr = static_cast<float>(2 * (1 - kr));
  m.b_of_cb = static_cast<float>(2 * (1 - kb));
  m.g_of_cr = static_cast<float>(2 * (1 - kr) * kr / kg);
  m.g_of_cb = static_cast<float>(2 * (1 - kb) * kb / kg);
  m.cr_of_r = static_cast<float>(1 / (2 * (1 - kr)));
  m.cb_of_b = static_cast<float>(1 / (2 * (1 - kb)));
  return m;
}

#ifndef VIDCONV_HAVE_CUDA
std::unique_ptr<Convolver> make_cuda_light(const LightPlan&, LightStep) {
  throw std::invalid_argument("this build has no CUDA");
}
#endif

}  // namespace vidconv
