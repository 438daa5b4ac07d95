#include "pipeline/measure/frame_score.h"

#include <cmath>
#include <string>

#include "kernels/score/score.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_pictures(const Frame& given, const Frame& decoded,
                                  const std::string& why) {
  throw Error(MessageKind::unaccounted, "what was encoded cannot be measured", "",
              why + ": " + given.format().name + " went into the encoder, " +
                  decoded.format().name + " came out of its decoder");
}

std::optional<std::size_t> component_named(const Frame& frame, char name) {
  const auto& all = frame.format().components;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name && all[i].kind != Component::Kind::padding) return i;
  return std::nullopt;
}

// Adds first and divides last, so that the mean of equal values is that value.
void weigh(FrameScore& score) {
  double samples = 0;
  score.ssim = 0;
  for (const ComponentScore& part : score.components()) {
    samples += part.samples;
    score.mse += part.samples * part.mse;
    score.max += part.samples * part.max;
    if (score.ssim && part.ssim)
      *score.ssim += part.samples * *part.ssim;
    else
      score.ssim.reset();
  }
  score.mse /= samples;
  score.max = std::round(score.max / samples);
  if (score.ssim) *score.ssim /= samples;
}

}  // namespace

FrameScore score_pictures(const Frame& given, const Frame& decoded) {
  if (given.width() != decoded.width() || given.height() != decoded.height())
    refuse_pictures(given, decoded, "their sizes differ");
  FrameScore score;
  for (std::size_t i = 0; i < given.format().components.size(); ++i) {
    const Component& component = given.format().components[i];
    const auto other = component_named(decoded, component.name);
    if (component.kind == Component::Kind::padding || !other) continue;
    const SampleType& type = component.sample;
    const SampleType& other_type = decoded.format().components[*other].sample;
    const ConstBytePlane a = given.component(i), b = decoded.component(*other);
    if (type.depth != other_type.depth || a.width != b.width || a.height != b.height)
      refuse_pictures(given, decoded, "their samples differ in kind");
    const PlaneScore plane = score_planes(a, type, b, other_type);
    const auto samples = static_cast<double>(plane.samples);
    score.parts.at(score.count++) = {.name = component.name,
                                     .samples = samples,
                                     .mse = plane.squared_error / samples,
                                     .max = static_cast<double>(type.max()),
                                     .ssim = plane.ssim,
                                     .xpsnr = {}};
  }
  if (score.count == 0) refuse_pictures(given, decoded, "they have no component in common");
  weigh(score);
  return score;
}

}  // namespace vidconv
