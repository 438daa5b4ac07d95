#include "kernels/spec/grey_picture.h"

#include <fmt/format.h>
#include <png.h>

#include <charconv>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace vidconv {
namespace {

constexpr std::string_view png_signature = "\x89PNG\r\n\x1A\n";

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

// Checks the size before there is memory for it.
void check_size(unsigned width, unsigned height, const GreyLimits& limits) {
  const auto max = static_cast<unsigned>(limits.side);
  if (width < 1 || height < 1 || width > max || height > max)
    refuse(fmt::format("a picture of {}x{} is outside 1x1 to {}x{}", width, height, max, max));
  if (height > limits.pixels / width)
    refuse(fmt::format("a picture of {}x{} has more than the {} pixels of --max-pixels", width,
                       height, limits.pixels));
}

// Netpbm's grey formats: P2 (decimal numbers) and P5 (bytes, or 16 bits with the high byte first).
class Pgm {
 public:
  Pgm(std::string_view bytes, const GreyLimits& limits)
      : rest_(bytes.substr(2)), limits_(limits), binary_(bytes[1] == '5') {}

  GreyPicture read() {
    const unsigned width = header("width"), height = header("height");
    check_size(width, height, limits_);
    const unsigned max = header("largest value");
    if (max < 1 || max > 65535)
      refuse(fmt::format("its largest value, {}, is outside 1 to 65535", max));
    if (binary_ && !rest_.empty()) rest_.remove_prefix(1);  // one blank after the header
    std::vector<std::uint16_t> levels(std::size_t{width} * height);
    for (std::uint16_t& level : levels) {
      const unsigned value = binary_ ? sample(max > 255) : header("sample");
      if (value > max)
        refuse(fmt::format("it has a sample of {}, above its largest value {}", value, max));
      level = static_cast<std::uint16_t>(value);
    }
    return {static_cast<int>(width), static_cast<int>(height), static_cast<int>(max),
            std::move(levels)};
  }

 private:
  // Reads the next decimal number, after blanks and comments.
  unsigned header(const char* what) {
    while (!rest_.empty() && std::strchr(" \t\r\n\v\f#", rest_[0]) != nullptr)
      rest_.remove_prefix(rest_[0] == '#' ? std::min(rest_.find('\n'), rest_.size()) : 1);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) refuse(fmt::format("its {} is not a number, or is missing", what));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  unsigned sample(bool wide) {
    const std::size_t size = wide ? 2 : 1;
    if (rest_.size() < size) refuse("the picture is cut short");
    unsigned value = static_cast<unsigned char>(rest_[0]);
    if (wide) value = value << 8 | static_cast<unsigned char>(rest_[1]);
    rest_.remove_prefix(size);
    return value;
  }

  std::string_view rest_;
  const GreyLimits limits_;
  bool binary_;
};

// Holds the picture that libpng read, or the reason why it could not. libpng leaves its functions
// by longjmp, which runs no destructors: all C++ objects live in here, outside of the function that
// calls setjmp.
class Png {
 public:
  Png(std::string_view bytes, const GreyLimits& limits) : rest_(bytes), limits_(limits) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Png::on_error, &Png::on_warning);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
  }
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  GreyPicture read() {
    if (!info_) refuse("libpng found no memory");
    if (!read_header()) refuse(error_);
    check_size(png_get_image_width(png_, info_), png_get_image_height(png_, info_), limits_);
    if (!read_rows()) refuse(error_);
    return picture();
  }

 private:
  static void on_error(png_structp png, png_const_charp message) {
    static_cast<Png*>(png_get_error_ptr(png))->note(message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) noexcept {}
  void note(const char* message) { std::strncpy(error_, message, sizeof error_ - 1); }

  static void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto& rest = static_cast<Png*>(png_get_io_ptr(png))->rest_;
    if (rest.size() < count) png_error(png, "the picture is cut short");
    std::memcpy(to, rest.data(), count);
    rest.remove_prefix(count);
  }

  bool read_header() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, &Png::on_read);
    png_set_chunk_cache_max(png_, 1);  // no text chunks: a thousand of 8 MB fit into a small file
    png_read_info(png_, info_);
    return true;
  }

  // Rows of 8 or 16 bits a sample: grey, RGB, either with alpha.
  bool read_rows() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_expand(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    stride_ = png_get_rowbytes(png_, info_);
    make_rows();
    png_read_image(png_, rows_.data());
    png_read_end(png_, nullptr);
    return true;
  }

  void make_rows() {
    bytes_.resize(stride_ * png_get_image_height(png_, info_));
    for (std::size_t at = 0; at < bytes_.size(); at += stride_) rows_.push_back(&bytes_[at]);
  }

  GreyPicture picture() const {
    const unsigned width = png_get_image_width(png_, info_);
    const std::size_t channels = png_get_channels(png_, info_);
    const std::size_t size = png_get_bit_depth(png_, info_) / 8U;
    const int max = size == 2 ? 65535 : 255;
    const auto value = [&](const png_byte* at) { return size == 2 ? at[0] << 8 | at[1] : at[0]; };
    std::vector<std::uint16_t> levels;
    for (const png_byte* row : rows_) {
      for (unsigned x = 0; x < width; ++x) {
        const png_byte* pixel = row + x * channels * size;
        const int grey = value(pixel);
        if (channels >= 3 && (value(pixel + size) != grey || value(pixel + 2 * size) != grey))
          refuse(fmt::format("the picture is not grey at {},{}", x, levels.size() / width));
        if (channels % 2 == 0 && value(pixel + (channels - 1) * size) != max)
          refuse(fmt::format("the picture is not opaque at {},{}", x, levels.size() / width));
        levels.push_back(static_cast<std::uint16_t>(grey));
      }
    }
    return {static_cast<int>(width), static_cast<int>(rows_.size()), max, std::move(levels)};
  }

  std::string_view rest_;
  const GreyLimits limits_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char error_[200] = {};
  std::size_t stride_ = 0;
  std::vector<png_byte> bytes_;
  std::vector<png_bytep> rows_;
};

bool is_pgm(std::string_view bytes) {
  return bytes.size() > 2 && (bytes.starts_with("P2") || bytes.starts_with("P5"));
}

}  // namespace

bool is_grey_picture(std::string_view bytes) {
  return bytes.starts_with(png_signature) || is_pgm(bytes);
}

GreyPicture read_grey_picture(std::string_view bytes, const GreyLimits& limits) {
  return is_pgm(bytes) ? Pgm(bytes, limits).read() : Png(bytes, limits).read();
}

}  // namespace vidconv
