#include "pipeline/av/bare_format.h"

#include <string>

#include "kernels/base/numbers.h"

namespace vidconv {
namespace {

std::optional<SampleType> sample_named(std::string_view name) {
  if (name == "f32") return SampleType{.storage = Storage::f32, .depth = 32};
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

}  // namespace vidconv
