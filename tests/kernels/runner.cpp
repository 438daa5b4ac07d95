#include "runner.h"

#include <stdexcept>

#ifdef VIDCONV_HAVE_CUDA
#include <cuda_runtime_api.h>

#include <string>
#endif

namespace vidconv::test {

#ifdef VIDCONV_HAVE_CUDA

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
}

// Device memory that grows.
class DeviceBytes {
 public:
  DeviceBytes() = default;
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }

  std::byte* upload(const std::vector<std::byte>& bytes) {
    if (bytes.size() > size_) {
      check(cudaFree(data_));
      data_ = nullptr;
      size_ = 2 * bytes.size();
      check(cudaMalloc(&data_, size_));
    }
    check(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return static_cast<std::byte*>(data_);
  }
  void download(std::vector<std::byte>& bytes) const {
    check(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDeviceToHost));
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

struct Runner::DeviceMemory {
  DeviceBytes src, dst;

  // The legacy default stream: copies wait for the kernels.
  void run(Convolver& convolver, const Picture& from, Picture& to) {
    PlanePair pair{from.plane(), to.plane()};
    pair.src.data = src.upload(from.bytes()) + from.origin();
    pair.dst.data = dst.upload(to.bytes()) + to.origin();
    convolver.run({&pair, 1}, nullptr);
    check(cudaGetLastError());
    dst.download(to.bytes());
  }
};

bool cuda_works() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#else

struct Runner::DeviceMemory {
  static void run(Convolver&, const Picture&, Picture&) {
    throw std::logic_error("a build without CUDA has no such variant");
  }
};

bool cuda_works() { return false; }

#endif

std::vector<const Variant*> runnable_variants() {
  static const bool cuda = cuda_works();
  std::vector<const Variant*> result;
  for (const Variant& variant : variants())
    if (variant.device == Device::cpu || cuda) result.push_back(&variant);
  return result;
}

Runner::Runner(const Variant& variant, const Plan& plan, int threads)
    : device_(variant.device),
      convolver_(variant.make(plan, threads)),
      memory_(std::make_unique<DeviceMemory>()) {}

Runner::~Runner() = default;

void Runner::run(const Picture& src, Picture& dst) {
  if (device_ == Device::cuda) {
    memory_->run(*convolver_, src, dst);
    return;
  }
  const PlanePair pair{src.plane(), dst.plane()};
  convolver_->run({&pair, 1}, nullptr);
}

Picture expected(const Plan& plan, const Picture& src, const Picture& dst) {
  Picture result = dst;
  Runner(*find_variant("reference"), plan).run(src, result);
  return result;
}

}  // namespace vidconv::test
