#include <stdexcept>
#include <utility>

#include "kernels/spec/grey_picture.h"
#include "kernels/spec/kernel_file.h"

namespace vidconv {

bool is_kernel_picture(std::string_view bytes) { return is_grey_picture(bytes); }

CodedPicture coded_picture(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return CodedPicture::jpeg;
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return CodedPicture::tiff;
  if (bytes.starts_with("RIFF"sv) && bytes.substr(0, 12).ends_with("WEBP"sv))
    return CodedPicture::webp;
  // The four bytes after the size of the file are 0 in all that are written.
  if (bytes.starts_with("BM"sv) && bytes.size() > 26 && bytes.substr(6, 4) == "\0\0\0\0"sv)
    return CodedPicture::bmp;
  return CodedPicture::none;
}

Kernel read_kernel_picture(std::string_view bytes, std::int64_t max_pixels,
                           PictureDecoder decoder) {
  const bool coded = coded_picture(bytes) != CodedPicture::none;
  if (coded && !decoder) throw std::runtime_error("pictures are read as PNG or PGM here");
  const GreyLimits limits{.side = Kernel::max_size, .pixels = max_pixels};
  const GreyPicture picture = coded ? decoder(bytes, limits) : read_grey_picture(bytes, limits);
  std::vector<double> taps;
  taps.reserve(picture.levels.size());
  for (const std::uint16_t level : picture.levels)
    taps.push_back(static_cast<double>(level) / picture.max);
  return {picture.width, picture.height, std::move(taps)};
}

}  // namespace vidconv
