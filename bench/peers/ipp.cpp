// Intel IPP on the CPU, loaded at run time where the machine has it: building needs no header and
// no library of Intel's. Types and functions are as Intel documents them. It uses one thread.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peers/peers.h"
#include "kernels/plan/rational.h"

namespace vidconv::bench {
namespace {

using u8 = unsigned char;
using u16 = unsigned short;

struct IppSize {
  int width, height;
};
struct LibraryVersion {
  int numbers[4];
  char cpu[4];
  const char* name;
  const char* version;
};
constexpr int ipp_replicate = 1;  // ippBorderRepl, the one border that all functions have
constexpr int nearest = 1;        // ippRndNear
constexpr int ipp_mask_3x3 = 33;
constexpr int ipp_norm_l2 = 4;
constexpr int type_16s = 7, type_32f = 13;

template <class T>
struct TypeOf;
template <>
struct TypeOf<u8> {
  static constexpr int value = 1;
  static constexpr const char* name = "8u";
  using Gradient = short;
  static constexpr const char* gradient = "8u16s";
};
template <>
struct TypeOf<u16> {
  static constexpr int value = 5;
  static constexpr const char* name = "16u";
  using Gradient = float;
  static constexpr const char* gradient = "16u32f";
};
template <>
struct TypeOf<float> {
  static constexpr int value = type_32f;
  static constexpr const char* name = "32f";
  using Gradient = float;
  static constexpr const char* gradient = "32f";
};

using BoxSize = int (*)(IppSize, IppSize mask, int type, int channels, int* buffer);
template <class T>
using Box = int (*)(const T*, int, T*, int, IppSize, IppSize mask, int border, const T* value,
                    u8* buffer);
using GaussSize = int (*)(IppSize, unsigned kernel, int type, int channels, int* spec, int* buffer);
using GaussInit = int (*)(IppSize, unsigned kernel, float sigma, int border, int type, int channels,
                          u8* spec, u8* buffer);
template <class T>
using Gauss = int (*)(const T*, int, T*, int, IppSize, T value, u8* spec, u8* buffer);
using MatrixSize = int (*)(IppSize kernel, IppSize, int type, int kernel_type, int channels,
                           int* spec, int* buffer);
using MatrixInit16 = int (*)(const short* taps, IppSize kernel, int divisor, int type, int channels,
                             int round, u8* spec);
using MatrixInit32 = int (*)(const float* taps, IppSize kernel, int type, int channels, int round,
                             u8* spec);
template <class T>
using Matrix = int (*)(const T*, int, T*, int, IppSize, int border, const T* value, const u8* spec,
                       u8* buffer);
using GradientSize = int (*)(IppSize, int mask, int type, int channels, int* buffer);
template <class T, class G>
using GradientVector = int (*)(const T*, int, G* x, int, G* y, int, G* magnitude, int, float* angle,
                               int, IppSize, int mask, int norm, int border, T value, u8* buffer);

// The libraries, loaded for as long as the program runs: from the folder VIDCONV_IPP_DIR where it
// is set, else where the loader finds them.
class Ipp {
 public:
  static const Ipp& get() {
    static const Ipp ipp;
    return ipp;
  }

  bool works() const { return works_; }
  const std::string& status() const { return status_; }

  template <class Function>
  Function function(const std::string& name) const {
    for (void* library : libraries_)
      if (void* const found = dlsym(library, name.c_str()))
        return reinterpret_cast<Function>(found);
    return nullptr;
  }

 private:
  Ipp() {
    const char* const folder = std::getenv("VIDCONV_IPP_DIR");
    // Each library needs those before it.
    for (const char* name : {"core", "vm", "s", "i", "cv"}) {
      const std::string file = fmt::format("libipp{}.so.12", name);
      const std::string path = folder ? fmt::format("{}/{}", folder, file) : file;
      void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (!library) {
        status_ = folder ? fmt::format("{} is not in VIDCONV_IPP_DIR={}", file, folder)
                         : fmt::format("{} is not installed; VIDCONV_IPP_DIR names a folder", file);
        return;
      }
      libraries_.push_back(library);
    }
    if (const auto init = function<int (*)()>("ippInit")) init();
    works_ = true;
    status_ = "libippi.so.12";
    if (const auto ask = function<const LibraryVersion* (*)()>("ippiGetLibVersion"))
      status_ = fmt::format("{} {}", ask()->name, ask()->version);
  }

  std::vector<void*> libraries_;
  bool works_ = false;
  std::string status_;
};

void check_ipp(int status, const std::string& what) {
  if (status < 0) throw std::runtime_error(fmt::format("IPP {}: status {}", what, status));
}

using Buffer = std::shared_ptr<Memory>;
Buffer buffer_of(int bytes) {
  return std::make_shared<Memory>(Device::cpu, static_cast<std::size_t>(bytes) + 64);
}
u8* address_of(const Buffer& buffer) { return reinterpret_cast<u8*>(buffer->data()); }

// The ways for samples of type T. A function that this version lacks is left out.
template <class T>
class Ways {
 public:
  Ways(const Case& c, std::span<const PlanePair> planes)
      : c_(c), size_{c.width, c.height}, pairs_(planes.begin(), planes.end()) {}

  std::vector<PeerWay> all() {
    if (c_.kind == Kind::box) box();
    if (c_.kind == Kind::gaussian) gaussian();
    if (c_.kind == Kind::sobel) gradient();
    // Sums of products clamp negative values; vidconv's sobel-x gives absolute values to compare
    // with.
    if (c_.kind != Kind::copy && c_.filter.kernels.size() == 1) matrix(c_.filter.kernels[0]);
    return std::move(ways_);
  }

 private:
  // call(source, its step, result, its step) returns IPP's status.
  template <class Call>
  PeerWay& add(const std::string& name, Call call) {
    ways_.push_back({"IPP " + name,
                     [=, pairs = pairs_](int i) {
                       const PlanePair& pair = pairs[static_cast<std::size_t>(i) % pairs.size()];
                       check_ipp(call(reinterpret_cast<const T*>(pair.src.data),
                                      static_cast<int>(pair.src.stride),
                                      reinterpret_cast<T*>(pair.dst.data),
                                      static_cast<int>(pair.dst.stride)),
                                 name);
                     },
                     nullptr});
    return ways_.back();
  }

  static std::string typed(const char* name) {
    return fmt::format("ippi{}_{}_C1R", name, TypeOf<T>::name);
  }

  void box() {
    const auto f = ipp_.function<Box<T>>(typed("FilterBoxBorder"));
    const auto ask = ipp_.function<BoxSize>("ippiFilterBoxBorderGetBufferSize");
    if (!f || !ask) return;
    const IppSize mask{c_.size, c_.size}, size = size_;
    int bytes = 0;
    check_ipp(ask(size, mask, TypeOf<T>::value, 1, &bytes), "FilterBoxBorder");
    add("FilterBoxBorder", [=, buffer = buffer_of(bytes)](const T* a, int as, T* b, int bs) {
      return f(a, as, b, bs, size, mask, ipp_replicate, nullptr, address_of(buffer));
    });
  }

  void gaussian() {
    const auto f = ipp_.function<Gauss<T>>(typed("FilterGaussianBorder"));
    const auto ask = ipp_.function<GaussSize>("ippiFilterGaussianGetBufferSize");
    const auto init = ipp_.function<GaussInit>("ippiFilterGaussianInit");
    if (!f || !ask || !init) return;
    const auto taps = static_cast<unsigned>(c_.size);
    int spec_bytes = 0, bytes = 0;
    check_ipp(ask(size_, taps, TypeOf<T>::value, 1, &spec_bytes, &bytes), "FilterGaussianBorder");
    const Buffer spec = buffer_of(spec_bytes), buffer = buffer_of(bytes);
    check_ipp(init(size_, taps, static_cast<float>(sigma_of(c_.size)), ipp_replicate,
                   TypeOf<T>::value, 1, address_of(spec), address_of(buffer)),
              "FilterGaussianBorder");
    add("FilterGaussianBorder", [=, size = size_](const T* a, int as, T* b, int bs) {
      return f(a, as, b, bs, size, T{}, address_of(spec), address_of(buffer));
    });
  }

  // Uses taps of 16 bits over a divisor where taps are such and samples are integers; else floats.
  void matrix(const Kernel& kernel) {
    const auto f = ipp_.function<Matrix<T>>(typed("FilterBorder"));
    const auto ask = ipp_.function<MatrixSize>("ippiFilterBorderGetSize");
    const auto init16 = ipp_.function<MatrixInit16>("ippiFilterBorderInit_16s");
    const auto init32 = ipp_.function<MatrixInit32>("ippiFilterBorderInit_32f");
    if (!f || !ask || !init16 || !init32) return;
    const IppSize shape{kernel.width(), kernel.height()}, size = size_;
    const auto make = [&](const char* name, int type, auto init) {
      int spec_bytes = 0, bytes = 0;
      check_ipp(ask(shape, size, TypeOf<T>::value, type, 1, &spec_bytes, &bytes), name);
      const Buffer spec = buffer_of(spec_bytes), buffer = buffer_of(bytes);
      check_ipp(init(address_of(spec)), name);
      add(name, [=](const T* a, int as, T* b, int bs) {
        return f(a, as, b, bs, size, ipp_replicate, nullptr, address_of(spec), address_of(buffer));
      });
    };
    const auto integers = find_rationals(kernel.taps());
    const auto fits = [](std::int64_t n) {
      return n == static_cast<short>(n) && n != std::numeric_limits<short>::min();
    };
    if (sizeof(T) < sizeof(float) && integers && std::ranges::all_of(integers->numerators, fits)) {
      const std::vector<short> taps(integers->numerators.begin(), integers->numerators.end());
      make("FilterBorder, 16-bit taps", type_16s, [&](u8* spec) {
        return init16(taps.data(), shape, static_cast<int>(integers->divisor), TypeOf<T>::value, 1,
                      nearest, spec);
      });
    } else {
      const std::vector<float> taps(kernel.taps().begin(), kernel.taps().end());
      make("FilterBorder, float taps", type_32f, [&](u8* spec) {
        return init32(taps.data(), shape, TypeOf<T>::value, 1, nearest, spec);
      });
    }
  }

  // Computes the magnitude alone, in a wider type than codes have.
  void gradient() {
    using G = typename TypeOf<T>::Gradient;
    const auto f = ipp_.function<GradientVector<T, G>>(
        fmt::format("ippiGradientVectorSobel_{}_C1R", TypeOf<T>::gradient));
    const auto ask = ipp_.function<GradientSize>("ippiGradientVectorGetBufferSize");
    if (!f || !ask) return;
    int bytes = 0;
    check_ipp(ask(size_, ipp_mask_3x3, TypeOf<T>::value, 1, &bytes), "GradientVectorSobel");
    const int step = c_.width * static_cast<int>(sizeof(G));
    const Buffer buffer = buffer_of(bytes), result = buffer_of(step * c_.height);
    auto* const magnitude = reinterpret_cast<G*>(result->data());
    PeerWay& way =
        add(fmt::format("GradientVectorSobel {}", TypeOf<T>::gradient),
            [=, size = size_, keep = result](const T* a, int as, T*, int) {
              return f(a, as, nullptr, 0, nullptr, 0, magnitude, step, nullptr, 0, size,
                       ipp_mask_3x3, ipp_norm_l2, ipp_replicate, T{}, address_of(buffer));
            });
    way.deliver = [=, to = pairs_.front().dst.as<T>(), max = static_cast<double>(c_.sample.max()),
                   width = c_.width, keep = result] {
      for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
          const G value = magnitude[std::ptrdiff_t{y} * width + x];
          to.row(y)[x] = std::is_same_v<T, float>
                             ? static_cast<T>(value)
                             : static_cast<T>(std::min(static_cast<double>(value) + 0.5, max));
        }
    };
  }

  const Ipp& ipp_ = Ipp::get();
  const Case& c_;
  const IppSize size_;
  const std::vector<PlanePair> pairs_;
  std::vector<PeerWay> ways_;
};

}  // namespace

std::string ipp_status() { return Ipp::get().status(); }

std::vector<PeerWay> ipp_ways(const Case& c, std::span<const PlanePair> pairs) {
  if (!Ipp::get().works() || c.threads != 1) return {};
  switch (c.sample.storage) {
    case Storage::u8:
      return Ways<u8>(c, pairs).all();
    case Storage::u16:
      return Ways<u16>(c, pairs).all();
    case Storage::f32:
      return Ways<float>(c, pairs).all();
  }
  return {};
}

}  // namespace vidconv::bench
