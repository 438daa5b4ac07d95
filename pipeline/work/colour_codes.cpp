#include "pipeline/work/colour_codes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "pipeline/av/convert/convert.h"
#include "pipeline/base/error.h"

extern "C" {
#include <libavutil/csp.h>
}

namespace vidconv {
namespace {

using Kind = Component::Kind;

// Exactly numerator / denominator, which is more than 0.
struct Part {
  std::int64_t numerator, denominator;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  // The whole number nearest to so many times it, ties upward.
  std::int64_t times(std::int64_t factor) const {
    const std::int64_t twice = 2 * factor * numerator + denominator, by = 2 * denominator;
    return twice / by - (twice % by < 0 ? 1 : 0);
  }
};

Part luma_of(const Colour& c, const ColourCodes& codes) {
  return {codes.red * c.red + codes.green * c.green + codes.blue * c.blue,
          255 * (codes.red + codes.green + codes.blue)};
}

// From -1/2 to 1/2: how much more blue, or red, there is than luma.
Part chroma_of(const Colour& c, char name, const ColourCodes& codes) {
  const std::int64_t whole = codes.red + codes.green + codes.blue;
  const std::int64_t share = name == 'U' ? codes.blue : codes.red;
  const std::int64_t of_it = name == 'U' ? c.blue : c.red;
  return {of_it * whole - luma_of(c, codes).numerator, 255 * 2 * (whole - share)};
}

Part signal_in(const Colour& c, const Component& component, const ColourCodes& codes) {
  if (component.kind == Kind::luma) return luma_of(c, codes);
  return {component.name == 'R' ? c.red : component.name == 'G' ? c.green : c.blue, 255};
}

bool is_coloured(const FilterSpec& spec) {
  const std::optional<Colour>& fill = spec.fill();
  return fill && (fill->red != fill->green || fill->green != fill->blue);
}

void set_shares(ColourCodes& codes, const AVLumaCoefficients& luma) {
  const std::int64_t whole = std::lcm(
      std::lcm(std::int64_t{luma.cr.den}, std::int64_t{luma.cg.den}), std::int64_t{luma.cb.den});
  codes.red = luma.cr.num * (whole / luma.cr.den);
  codes.blue = luma.cb.num * (whole / luma.cb.den);
  codes.green = whole - codes.red - codes.blue;
}

}  // namespace

ColourCodes colour_codes(std::span<const FilterSpec> chain, const VideoInfo& video,
                         const Notify& to) {
  ColourCodes codes;
  codes.limited = is_limited_range(video);
  const auto filler = std::ranges::find_if(chain, is_coloured);
  const Kind first = video.format->components[0].kind;
  if (filler == chain.end() || first != Kind::luma) return codes;
  const AVColorSpace matrix =
      video.matrix == AVCOL_SPC_UNSPECIFIED ? usual_matrix(video.height) : video.matrix;
  const char* name = av_color_space_name(matrix);
  if (video.matrix == AVCOL_SPC_UNSPECIFIED)
    notify(to, MessageKind::assumed,
           std::string("fill: the video does not say its colour matrix: ") + name +
               " is assumed, as usual at its height");
  const AVLumaCoefficients* luma =
      can_convert(matrix) ? av_csp_luma_coeffs_from_avcsp(matrix) : nullptr;
  if (!luma)
    throw Error(MessageKind::filter_spec, "cannot fill with a colour", filler->text(),
                std::string("the video's colour matrix, ") + (name ? name : "a reserved one") +
                    ", is not known here",
                "fill with black, white or a grey");
  set_shares(codes, *luma);
  return codes;
}

double sample_of(const Colour& colour, const Component& component, const ColourCodes& codes) {
  const SampleType& sample = component.sample;
  const bool floats = sample.storage == Storage::f32;
  if (component.kind == Kind::alpha) return sample.max();
  const bool chroma = component.kind == Kind::chroma;
  const Part part =
      chroma ? chroma_of(colour, component.name, codes) : signal_in(colour, component, codes);
  if (floats)
    return static_cast<float>(codes.light ? light_of(*codes.light, part.value()) : part.value());
  const std::int64_t unit = std::int64_t{1} << (sample.depth - 8);
  const std::int64_t extent = !codes.limited ? sample.max() : (chroma ? 224 : 219) * unit;
  const std::int64_t zero = chroma ? 128 * unit : codes.limited ? 16 * unit : 0;
  return static_cast<double>(std::clamp<std::int64_t>(zero + part.times(extent), 0, sample.max()));
}

}  // namespace vidconv
