// NVIDIA Performance Primitives, loaded at run time where the machine has them (CUDA 12 or 13):
// building needs no header and no library of theirs. Types and functions are as NVIDIA documents
// them.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/peers/peers.h"
#include "kernels/cuda/common/check.h"

namespace vidconv::bench {
namespace {

struct NppSize {
  int width, height;
};
struct Point {
  int x, y;
};
struct StreamContext {
  cudaStream_t stream;
  int device;
  int multiprocessors, threads_per_multiprocessor, threads_per_block;
  std::size_t shared_per_block;
  int major, minor;
  unsigned stream_flags;
  int reserved;
};
constexpr int replicate = 2;  // NPP_BORDER_REPLICATE, the one border that all functions have
constexpr int norm_l2 = 2;
constexpr int mask_3x3 = 200;

using u8 = unsigned char;
using FilterBorder = int (*)(const u8*, int, NppSize, Point, u8*, int, NppSize, const float* taps,
                             NppSize, Point anchor, int border, StreamContext);
using GaussBorder = int (*)(const u8*, int, NppSize, Point, u8*, int, NppSize, int mask, int border,
                            StreamContext);
using GaussAdvanced = int (*)(const u8*, int, NppSize, Point, u8*, int, NppSize, int count,
                              const float* taps, int border, StreamContext);
using BoxBorder = int (*)(const u8*, int, NppSize, Point, u8*, int, NppSize, NppSize mask,
                          Point anchor, int border, StreamContext);
using SobelBorder = int (*)(const u8*, int, NppSize, Point, u8*, int, NppSize, int border,
                            StreamContext);
using Gradient = int (*)(const u8*, int, NppSize, Point, short* x, int, short* y, int,
                         short* magnitude, int, float* angle, int, NppSize, int mask, int norm,
                         int border, StreamContext);
using Version = const int* (*)();  // three numbers

// The libraries, loaded for as long as the program runs.
class Npp {
 public:
  static const Npp& get() {
    static const Npp npp;
    return npp;
  }

  bool works() const { return filters_ != nullptr; }
  const std::string& status() const { return status_; }
  const StreamContext& context() const { return context_; }

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(dlsym(filters_, name));
  }

 private:
  Npp() {
    if (!have_cuda()) {
      status_ = "no CUDA device";
      return;
    }
    for (const int version : {13, 12}) {
      void* const core =
          dlopen(fmt::format("libnppc.so.{}", version).c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (core) filters_ = dlopen(fmt::format("libnppif.so.{}", version).c_str(), RTLD_NOW);
      if (!filters_) continue;
      status_ = fmt::format("libnppif.so.{}", version);
      if (const auto ask = reinterpret_cast<Version>(dlsym(core, "nppGetLibVersion")))
        status_ += fmt::format(" ({}.{}.{})", ask()[0], ask()[1], ask()[2]);
      break;
    }
    if (!filters_) {
      status_ = "libnppif.so.13 and .12 are not installed";
      return;
    }
    cudaDeviceProp properties;
    cuda::check(cudaGetDeviceProperties(&properties, 0), "the device");
    context_ = {stream_of(Device::cuda),
                0,
                properties.multiProcessorCount,
                properties.maxThreadsPerMultiProcessor,
                properties.maxThreadsPerBlock,
                properties.sharedMemPerBlock,
                properties.major,
                properties.minor,
                cudaStreamNonBlocking,
                0};
  }

  void* filters_ = nullptr;
  std::string status_;
  StreamContext context_{};
};

void check_npp(int status, const char* what) {
  if (status != 0) throw std::runtime_error(fmt::format("NPP {}: status {}", what, status));
}

// Returns the value of NppiMaskSize for a square; 0 where there is none.
int mask_of(int size) {
  constexpr std::array<std::pair<int, int>, 7> masks = {
      {{3, 200}, {5, 201}, {7, 400}, {9, 500}, {11, 600}, {13, 700}, {15, 800}}};
  const auto it = std::ranges::find(masks, size, &std::pair<int, int>::first);
  return it == masks.end() ? 0 : it->second;
}

struct Call {
  const u8* src;
  int src_step;
  u8* dst;
  int dst_step;
  NppSize size;
};

Call call_on(const PlanePair& pair) {
  return {reinterpret_cast<const u8*>(pair.src.data),
          static_cast<int>(pair.src.stride),
          reinterpret_cast<u8*>(pair.dst.data),
          static_cast<int>(pair.dst.stride),
          {pair.dst.width, pair.dst.height}};
}

// Taps in device memory, for as long as a body refers to them.
class Taps {
 public:
  explicit Taps(std::span<const double> taps) : memory_(Device::cuda, taps.size() * sizeof(float)) {
    const std::vector<float> values(taps.begin(), taps.end());
    memory_.upload(std::as_bytes(std::span(values)));
  }
  const float* data() const { return reinterpret_cast<const float*>(memory_.data()); }

 private:
  Memory memory_;
};

std::shared_ptr<Taps> upload(std::span<const double> taps) { return std::make_shared<Taps>(taps); }

}  // namespace

std::string npp_status() { return Npp::get().status(); }

std::vector<PeerWay> npp_ways(const Case& c, std::span<const PlanePair> planes) {
  const Npp& npp = Npp::get();
  if (!npp.works() || c.sample.storage != Storage::u8) return {};
  const std::vector<PlanePair> pairs(planes.begin(), planes.end());
  const StreamContext context = npp.context();
  const NppSize mask{c.size, c.size};
  const Point centre{c.size / 2, c.size / 2};
  std::vector<PeerWay> ways;
  // `launch` calls the function on a plane; a function that this version lacks is left out.
  const auto add = [&](const char* name, auto function, auto launch) {
    if (!function) return;
    ways.push_back({fmt::format("NPP {}", name),
                    [=](int i) {
                      const Call call = call_on(pairs[static_cast<std::size_t>(i) % pairs.size()]);
                      check_npp(launch(function, call), name);
                    },
                    nullptr});
  };

  if (c.kind == Kind::dense || c.kind == Kind::gaussian || c.kind == Kind::box) {
    const auto taps = upload(c.filter.kernels[0].taps());
    add("FilterBorder32f", npp.function<FilterBorder>("nppiFilterBorder32f_8u_C1R_Ctx"),
        [=](FilterBorder f, const Call& p) {
          return f(p.src, p.src_step, p.size, {0, 0}, p.dst, p.dst_step, p.size, taps->data(), mask,
                   centre, replicate, context);
        });
  }
  if (c.kind == Kind::gaussian) {
    if (const int fixed = mask_of(c.size))
      add("FilterGaussBorder", npp.function<GaussBorder>("nppiFilterGaussBorder_8u_C1R_Ctx"),
          [=](GaussBorder f, const Call& p) {
            return f(p.src, p.src_step, p.size, {0, 0}, p.dst, p.dst_step, p.size, fixed, replicate,
                     context);
          });
    // One vector for both passes: the row through the centre, made to sum to 1.
    const auto all = c.filter.kernels[0].taps();
    std::vector<double> row(all.begin() + c.size / 2 * c.size,
                            all.begin() + (c.size / 2 + 1) * c.size);
    double sum = 0;
    for (const double tap : row) sum += tap;
    for (double& tap : row) tap /= sum;
    const auto taps = upload(row);
    add("FilterGaussAdvancedBorder",
        npp.function<GaussAdvanced>("nppiFilterGaussAdvancedBorder_8u_C1R_Ctx"),
        [=](GaussAdvanced f, const Call& p) {
          return f(p.src, p.src_step, p.size, {0, 0}, p.dst, p.dst_step, p.size, c.size,
                   taps->data(), replicate, context);
        });
  }
  if (c.kind == Kind::box)
    add("FilterBoxBorder", npp.function<BoxBorder>("nppiFilterBoxBorder_8u_C1R_Ctx"),
        [=](BoxBorder f, const Call& p) {
          return f(p.src, p.src_step, p.size, {0, 0}, p.dst, p.dst_step, p.size, mask, centre,
                   replicate, context);
        });
  if (c.kind == Kind::sobel_x)
    add("FilterSobelHorizBorder",
        npp.function<SobelBorder>("nppiFilterSobelHorizBorder_8u_C1R_Ctx"),
        [=](SobelBorder f, const Call& p) {
          return f(p.src, p.src_step, p.size, {0, 0}, p.dst, p.dst_step, p.size, replicate,
                   context);
        });
  if (c.kind == Kind::sobel) {
    // Computes the magnitude alone, in 16 bits: there is none in 8.
    const auto magnitude = std::make_shared<Memory>(
        Device::cuda, static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height) * 2);
    const int step = c.width * 2;
    add("GradientVectorSobelBorder (16-bit result)",
        npp.function<Gradient>("nppiGradientVectorSobelBorder_8u16s_C1R_Ctx"),
        [=](Gradient f, const Call& p) {
          return f(p.src, p.src_step, p.size, {0, 0}, nullptr, 0, nullptr, 0,
                   reinterpret_cast<short*>(magnitude->data()), step, nullptr, 0, p.size, mask_3x3,
                   norm_l2, replicate, context);
        });
  }
  return ways;
}

}  // namespace vidconv::bench
