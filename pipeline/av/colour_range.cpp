#include "pipeline/av/colour_range.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace vidconv {
namespace {

using Kind = Component::Kind;

// Returns a table from each code of a full component to the limited one, or the reverse.
std::vector<std::uint16_t> table(const SampleType& sample, bool chroma, bool to_full) {
  const int codes = 1 << sample.depth, largest = codes - 1;
  const double unit = codes / 256.;
  const double scale = (chroma ? 224 : 219) * unit / largest;
  const double from_zero = chroma ? codes / 2. : (to_full ? 16 * unit : 0);
  const double to_zero = chroma ? codes / 2. : (to_full ? 0 : 16 * unit);
  std::vector<std::uint16_t> words;
  for (int code = 0; code < codes; ++code) {
    const double exact = to_zero + (code - from_zero) * (to_full ? 1 / scale : scale);
    const double whole = std::clamp(std::floor(exact + 0.5), 0., static_cast<double>(largest));
    words.push_back(static_cast<std::uint16_t>(static_cast<unsigned>(whole) << sample.shift));
  }
  return words;
}

template <class Word>
void look_up(const BytePlane& plane, const std::vector<std::uint16_t>& words, int shift) {
  const std::ptrdiff_t step = plane.step * static_cast<std::ptrdiff_t>(sizeof(Word));
  const unsigned largest = static_cast<unsigned>(words.size()) - 1;
  for (int y = 0; y < plane.height; ++y) {
    std::byte* at = plane.data + plane.stride * y;
    for (int x = 0; x < plane.width; ++x, at += step) {
      Word word;
      std::memcpy(&word, at, sizeof word);
      // A stranger's file may have set bits above the depth.
      word = static_cast<Word>(words[std::min(static_cast<unsigned>(word) >> shift, largest)]);
      std::memcpy(at, &word, sizeof word);
    }
  }
}

}  // namespace

bool is_full_range(AVPixelFormat format, AVColorRange said) {
  if (said != AVCOL_RANGE_UNSPECIFIED) return said == AVCOL_RANGE_JPEG;
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
  return desc &&
         ((desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) || desc->nb_components <= 2);
}

RangeChanger::RangeChanger(const PixelFormat& format, bool to_full) : format_(format) {
  for (const Component& c : format.components)
    if (c.kind == Kind::luma || c.kind == Kind::chroma)
      words_[c.kind == Kind::chroma] = table(c.sample, c.kind == Kind::chroma, to_full);
}

void RangeChanger::change(Frame& frame) const {
  for (std::size_t i = 0; i < format_.components.size(); ++i) {
    const Component& c = format_.components[i];
    if (c.kind != Kind::luma && c.kind != Kind::chroma) continue;
    const std::vector<std::uint16_t>& words = words_[c.kind == Kind::chroma];
    if (c.sample.storage == Storage::u8)
      look_up<std::uint8_t>(frame.component(i), words, c.sample.shift);
    else
      look_up<std::uint16_t>(frame.component(i), words, c.sample.shift);
  }
}

}  // namespace vidconv
