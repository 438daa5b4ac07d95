#include "pipeline/av/bare_format.h"

#include <algorithm>

#include "kernels/base/numbers.h"

namespace vidconv {
namespace {

constexpr SampleType float_sample{.storage = Storage::f32, .depth = 32};

std::optional<SampleType> sample_named(std::string_view name) {
  if (name == "f32") return float_sample;
  if (!name.starts_with('u')) return std::nullopt;
  const auto depth = number_of<int>(name.substr(1), 8, 16);
  if (!depth || name[1] == '0') return std::nullopt;
  return SampleType{.storage = *depth == 8 ? Storage::u8 : Storage::u16, .depth = *depth};
}

}  // namespace

std::optional<PixelFormat> bare_format(std::string_view words) {
  const std::size_t end = std::min(words.find_first_of("xp"), words.size());
  const auto sample = sample_named(words.substr(0, end));
  std::optional<int> count = 1;
  if (end < words.size()) count = number_of<int>(words.substr(end + 1), 1, most_bare_samples);
  if (!sample || !count || words.substr(end).substr(0, 2).ends_with('0')) return std::nullopt;

  const bool planar = end < words.size() && words[end] == 'p';
  PixelFormat format{
      .id = AV_PIX_FMT_NONE, .name = std::string(words), .components = {}, .planes = 1};
  for (int i = 0; i < *count; ++i)
    format.components.push_back({.name = 'C',
                                 .kind = Component::Kind::colour,
                                 .plane = planar ? i : 0,
                                 .offset = planar ? 0 : i * sample->bytes(),
                                 .step = planar ? 1 : *count,
                                 .subsampling = {},
                                 .sample = *sample});
  if (planar) format.planes = *count;
  return format;
}

std::optional<PixelFormat> yuv_float_format(const std::string& words) {
  constexpr std::string_view end = "f32";
  if (!words.starts_with("yuv") || !words.ends_with(end)) return std::nullopt;
  const std::string codes = words.substr(0, words.size() - end.size());
  const PixelFormat* const known = find_format(av_get_pix_fmt(codes.c_str()));
  if (!known || !std::ranges::all_of(known->components, [](const Component& c) {
        return c.sample.storage == Storage::u8 && c.step == 1 && c.kind != Component::Kind::alpha;
      }))
    return std::nullopt;
  PixelFormat format = *known;
  format.id = AV_PIX_FMT_NONE;
  format.name = words;
  for (Component& component : format.components) component.sample = float_sample;
  return format;
}

}  // namespace vidconv
