// A few functions of Intel IPP, with replicated borders, to test vidconv-bench without IPP. With
// IPP_DOUBLE_WRONG set, results are off by that many codes.
#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace {

struct Size {
  int width, height;
};

int wrong() {
  const char* const by = std::getenv("IPP_DOUBLE_WRONG");
  return by ? std::atoi(by) : 0;
}

}  // namespace

extern "C" {

int ippInit() { return 0; }

int ippiFilterBoxBorderGetBufferSize(Size, Size, int /*type*/, int /*channels*/, int* bytes) {
  *bytes = 1;
  return 0;
}

int ippiFilterBoxBorder_8u_C1R(const unsigned char* src, int src_step, unsigned char* dst,
                               int dst_step, Size size, Size mask, int border,
                               const unsigned char* /*value*/, unsigned char* /*buffer*/) {
  constexpr int replicate = 1;
  if (border != replicate) return -225;
  const auto at = [&](int x, int y) {
    x = std::clamp(x, 0, size.width - 1), y = std::clamp(y, 0, size.height - 1);
    return src[std::ptrdiff_t{y} * src_step + x];
  };
  const int count = mask.width * mask.height;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      int sum = count / 2;
      for (int j = 0; j < mask.height; ++j)
        for (int i = 0; i < mask.width; ++i)
          sum += at(x + i - mask.width / 2, y + j - mask.height / 2);
      dst[std::ptrdiff_t{y} * dst_step + x] =
          static_cast<unsigned char>(std::clamp(sum / count + wrong(), 0, 255));
    }
  return 0;
}

}  // extern "C"
