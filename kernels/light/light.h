// Linear light: from the codes of a video to the light they stand for, and back. docs/numerics.md,
// "Linear light", defines the results to the bit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/convolver/convolver.h"

namespace vidconv {

// How signals, 0 to 1, encode light, 0 to 1 (ITU-T H.273, table 3).
enum class Transfer : std::uint8_t {
  linear,
  bt709,  // also BT.601 and BT.2020
  srgb,   // IEC 61966-2-1
  gamma22,
  gamma28,
  smpte240m,
  pq,   // SMPTE ST 2084; light 1 is 10,000 cd/m2
  hlg,  // ARIB STD-B67: the inverse of its camera curve, without a display's system gamma
};

struct TransferName {
  Transfer transfer;
  std::string_view name;
};
inline constexpr TransferName transfers[] = {
    {Transfer::linear, "linear"},
    {Transfer::bt709, "BT.709"},
    {Transfer::srgb, "sRGB"},
    {Transfer::gamma22, "gamma 2.2"},
    {Transfer::gamma28, "gamma 2.8"},
    {Transfer::smpte240m, "SMPTE 240M"},
    {Transfer::pq, "PQ"},
    {Transfer::hlg, "HLG"},
};

// Both compute in double. They are odd functions and go on beyond 1, PQ along its tangent there,
// because colours of YUV may lie outside the cube of RGB.
double light_of(Transfer transfer, double signal);
double signal_of(Transfer transfer, double light);

enum class ColourModel : std::uint8_t { grey, rgb, yuv };

// The place of chroma samples in one direction: on the first of the luma samples they stand for, or
// in the middle of them all.
enum class Siting : std::uint8_t { first, centre };

// A conversion of pictures of one format and colour description.
struct LightPlan {
  ColourModel model = ColourModel::rgb;
  Transfer transfer = Transfer::bt709;
  SampleType sample;         // every component's type; integers
  bool limited = false;      // black is 16, white 235, at 8 bits
  Codes codes = Codes::all;  // codes that results may have
  double kr = 0, kb = 0;     // yuv: the shares of R and B in luma
  Subsampling subsampling;   // chroma's subsampling
  Siting siting_x = Siting::first, siting_y = Siting::centre;

  int components() const { return model == ColourModel::grey ? 1 : 3; }
};

enum class LightStep : std::uint8_t { to_light, to_codes };

// Converters are Convolvers whose pairs are planes of different kinds: to_light reads codes and
// writes light, to_codes the other way. Pairs come in the order of components: one of grey, or
// three, Y U V or R G B on the side of codes and R G B on the side of light. Light is float, at the
// resolution of luma; chroma planes are smaller by the subsampling, rounded up.
std::unique_ptr<Convolver> make_cpu_light(const LightPlan& plan, LightStep step, int threads);
// Throws std::invalid_argument in a build without CUDA.
std::unique_ptr<Convolver> make_cuda_light(const LightPlan& plan, LightStep step);

}  // namespace vidconv
