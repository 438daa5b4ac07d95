#include "tests/pipeline/support/samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

extern "C" {
#include <libavutil/imgutils.h>
}

namespace vidconv::test {

std::uint32_t Samples::at(int x, int y) const {
  const auto mirror = [](int i, int n) {
    while (i < 0 || i >= n) i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
    return i;
  };
  return values[static_cast<std::size_t>(mirror(y, height) * width + mirror(x, width))];
}

std::vector<Samples> read_samples(AVPixelFormat id, int width, int height,
                                  const std::string& bytes) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(id);
  std::uint8_t* data[4];
  int linesize[4];
  av_image_fill_arrays(data, linesize, reinterpret_cast<const std::uint8_t*>(bytes.data()), id,
                       width, height, 1);
  std::vector<Samples> all;
  for (int c = 0; c < desc->nb_components; ++c) {
    const bool chroma =
        c > 0 && c < 3 && !(desc->flags & AV_PIX_FMT_FLAG_RGB) && desc->nb_components > 2;
    Samples s;
    s.width = chroma ? AV_CEIL_RSHIFT(width, desc->log2_chroma_w) : width;
    s.height = chroma ? AV_CEIL_RSHIFT(height, desc->log2_chroma_h) : height;
    s.values.resize(static_cast<std::size_t>(s.width * s.height));
    for (int y = 0; y < s.height; ++y)
      av_read_image_line2(&s.values[static_cast<std::size_t>(y * s.width)],
                          const_cast<const std::uint8_t**>(data), linesize, desc, 0, y, c, s.width,
                          0, 4);
    all.push_back(std::move(s));
  }
  return all;
}

std::string noise(AVPixelFormat id, int width, int height, unsigned seed) {
  const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(id);
  std::minstd_rand random(seed);
  std::string bytes(static_cast<std::size_t>(av_image_get_buffer_size(id, width, height, 1)), 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(random() >> 8);
  const bool big = desc->flags & AV_PIX_FMT_FLAG_BE;
  const unsigned mask = ((1U << (desc->comp[0].depth & 31)) - 1) << desc->comp[0].shift;
  if (desc->flags & AV_PIX_FMT_FLAG_FLOAT) {
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      const float value = static_cast<float>(random() % 3000) / 1000 - 1;
      auto bits = std::bit_cast<std::array<char, 4>>(value);
      if (big) std::reverse(bits.begin(), bits.end());
      std::copy(bits.begin(), bits.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i));
    }
  } else if (desc->comp[0].depth > 8) {
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      bytes[i + big] = static_cast<char>(bytes[i + big] & static_cast<char>(mask));
      bytes[i + !big] = static_cast<char>(bytes[i + !big] & static_cast<char>(mask >> 8));
    }
  }
  return bytes;
}

}  // namespace vidconv::test
