// Pixels: filters planes of samples in memory, on the CPU.
//
// Needs the library vidconv::pixels and nothing else; results are those of the command to the byte.
#pragma once

#include <vidconv/version.h>

#include <cstddef>
#include <memory>
#include <string>

namespace vidconv {

// One component of a picture (Y, U, R, alpha, ...), not owned. Of an interleaved picture `step` is
// the number of components. Members are given by name.
template <class Byte>
struct PixelPlane {
  Byte* data = nullptr;       // the first sample, as bytes; 16-bit samples in native order
  std::ptrdiff_t stride = 0;  // bytes from one row to the next; may be negative
  int width = 0, height = 0;  // samples and rows, at least 1
  int step = 1;               // samples from one pixel to the next in a row
};

struct PixelOptions {
  // Bits of a sample: 8 lie in a byte, 9 to 16 in the lower end of two, 32 are a float from 0 to 1.
  int depth = 8;
  // "reflect101", "reflect", "replicate", "wrap", "zero" or "constant:V".
  std::string border = "reflect101";
  int threads = 0;  // 0: as many as this process may use
};

// A filter, ready to be used on many planes, of any size each.
class PixelFilter {
 public:
  // `spec`: as `vidconv --kernel` takes it, "gaussian:sigma=2" or "matrix:0 -1 0; -1 5 -1; 0 -1 0".
  // Reads the file of a "file:" specification. Throws std::invalid_argument, with a line for
  // people, for a specification, a border or a depth that does not exist.
  explicit PixelFilter(const std::string& spec, const PixelOptions& options = {});
  ~PixelFilter();
  PixelFilter(PixelFilter&&) noexcept;
  PixelFilter& operator=(PixelFilter&&) noexcept;

  // Reads `from` and writes `to`, of the same size, which must not overlap; done on return. Not to
  // be called on one object from two threads at once. Throws std::invalid_argument where the sizes
  // differ or are none.
  void apply(const PixelPlane<const std::byte>& from, const PixelPlane<std::byte>& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vidconv
