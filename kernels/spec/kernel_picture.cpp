#include <utility>

#include "kernels/spec/grey_picture.h"
#include "kernels/spec/kernel_file.h"

namespace vidconv {

bool is_kernel_picture(std::string_view bytes) { return is_grey_picture(bytes); }

Kernel read_kernel_picture(std::string_view bytes, std::int64_t max_pixels) {
  const GreyPicture picture =
      read_grey_picture(bytes, {.side = Kernel::max_size, .pixels = max_pixels});
  std::vector<double> taps;
  taps.reserve(picture.levels.size());
  for (const std::uint16_t level : picture.levels)
    taps.push_back(static_cast<double>(level) / picture.max);
  return {picture.width, picture.height, std::move(taps)};
}

}  // namespace vidconv
