// Filters planes of samples in memory, on the CPU.
//
// C++20, over the C library (CMake: vidconv::vidconv). Results equal the command's to the byte.
#pragma once

#include <vidconv/vidconv.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace vidconv {

// A view of a picture's plane: rows of pixels of PixelOptions::channels samples each, side by side.
// Set the members by name. `Sample` is std::uint8_t, std::uint16_t or float, or void where only
// PixelOptions::depth says it; const in a plane that is only read.
template <class Sample>
struct PixelPlane {
  Sample* data = nullptr;     // the first sample
  std::ptrdiff_t stride = 0;  // bytes from one row to the next, may be negative
  int width = 0, height = 0;  // pixels and rows, at least 1
};

struct PixelOptions {
  // Bits of a sample: 8 take one byte, 9 to 16 are the low bits of two bytes in this machine's
  // order, 32 are a float from 0 to 1.
  int depth = 8;
  int channels = 1;  // samples of a pixel, 1 to 4096; all are filtered
  // "reflect101", "reflect", "replicate", "wrap", "zero" or "constant:V".
  std::string border = "reflect101";
  int threads = 0;  // 0: as many as this process may use
};

// A filter, ready to be used on many planes. It is planned again whenever their size changes.
class PixelFilter {
 public:
  // Parses `spec` as `vidconv --kernel` does: "gaussian:sigma=2", "matrix:0 -1 0; -1 5 -1; 0 -1 0".
  // Reads the file of a "file:" specification. Throws std::invalid_argument, with a line for
  // people, for an invalid specification.
  explicit PixelFilter(const std::string& spec, PixelOptions options = {})
      : options_(std::move(options)), filter_(parse(spec)) {
    plan_for(1, 1);  // says what is wrong with the options
  }

  // Filters `from` into `to`, which has the same size and must not overlap it; done on return. Not
  // thread-safe. Throws std::invalid_argument if the sizes differ or are not positive or an option
  // is invalid, and std::runtime_error if memory is out.
  //
  //   std::vector<std::uint8_t> in(64 * 48), out(64 * 48);
  //   vidconv::PixelFilter("box").apply(
  //       vidconv::PixelPlane<const std::uint8_t>{in.data(), 64, 64, 48},
  //       vidconv::PixelPlane<std::uint8_t>{out.data(), 64, 64, 48});
  void apply(const PixelPlane<const void>& from, const PixelPlane<void>& to) {
    if (from.width != to.width || from.height != to.height || from.width < 1 || from.height < 1)
      throw std::invalid_argument("planes of " + size(from) + " and " + size(to) +
                                  ": both are of one size, at least 1x1");
    if (from.width != width_ || from.height != height_) plan_for(from.width, from.height);
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    check(vidconv_plan_run(plan_.get(), 1, &from.data, &from.stride, &to.data, &to.stride, nullptr,
                           &error),
          error);
  }
  // Does so for planes that know their samples; also throws std::invalid_argument if these are not
  // of PixelOptions::depth.
  template <class From, class To>
  void apply(const PixelPlane<From>& from, const PixelPlane<To>& to) {
    static_assert(std::is_same_v<std::remove_const_t<From>, To>,
                  "both planes have one type of sample, not const in the one that is written");
    static_assert(std::is_same_v<To, std::uint8_t> || std::is_same_v<To, std::uint16_t> ||
                      std::is_same_v<To, float>,
                  "samples are std::uint8_t, std::uint16_t or float");
    const std::size_t bytes = options_.depth <= 8 ? 1 : options_.depth <= 16 ? 2 : 4;
    if (sizeof(To) != bytes)
      throw std::invalid_argument("samples of " + std::to_string(sizeof(To)) +
                                  " bytes: with a depth of " + std::to_string(options_.depth) +
                                  " they have " + std::to_string(bytes));
    apply(PixelPlane<const void>{from.data, from.stride, from.width, from.height},
          PixelPlane<void>{to.data, to.stride, to.width, to.height});
  }

 private:
  struct Free {
    void operator()(vidconv_filter* filter) const { vidconv_filter_free(filter); }
    void operator()(vidconv_plan* plan) const { vidconv_plan_free(plan); }
  };

  static void check(vidconv_status status, const vidconv_error& error) {
    if (status == VIDCONV_OK) return;
    std::string line = error.message;
    if (error.column > 0) line += ", column " + std::to_string(error.column);
    if (*error.remedy) line += std::string("; ") + error.remedy;
    if (status == VIDCONV_USAGE) throw std::invalid_argument(line);
    throw std::runtime_error(line);
  }
  static vidconv_filter* parse(const std::string& spec) {
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    vidconv_filter* filter = nullptr;
    check(vidconv_filter_parse(spec.c_str(), &filter, &error), error);
    return filter;
  }
  template <class Sample>
  static std::string size(const PixelPlane<Sample>& plane) {
    return std::to_string(plane.width) + "x" + std::to_string(plane.height);
  }

  void plan_for(int width, int height) {
    std::string format = options_.depth == 32 ? "f32" : "u";
    if (options_.depth != 32) format += std::to_string(options_.depth);
    format += "x";
    format += std::to_string(options_.channels);
    vidconv_plan_options o = VIDCONV_INIT(vidconv_plan_options);
    o.format = format.c_str();
    o.width = width;
    o.height = height;
    o.border = options_.border.c_str();
    o.threads = options_.threads;
    vidconv_error error = VIDCONV_INIT(vidconv_error);
    const vidconv_filter* filter = filter_.get();
    vidconv_plan* plan = nullptr;
    check(vidconv_plan_new(&filter, 1, &o, &plan, &error), error);
    plan_.reset(plan);
    width_ = width;
    height_ = height;
  }

  PixelOptions options_;
  std::unique_ptr<vidconv_filter, Free> filter_;
  std::unique_ptr<vidconv_plan, Free> plan_;
  int width_ = 0, height_ = 0;  // the plan's size
};

}  // namespace vidconv
