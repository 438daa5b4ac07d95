#include "tests/kernels/support/runner.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/study/study.h"
#include "kernels/variants/variants.h"

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

class Runner::DeviceMemory {
 public:
  // The legacy default stream: copies wait for the kernels.
  void run(Convolver& convolver, std::span<const Picture* const> sources,
           std::span<Picture* const> results) {
    while (planes_.size() < 2 * sources.size()) planes_.push_back(std::make_unique<DeviceBytes>());
    std::vector<PlanePair> pairs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      pairs.push_back({sources[i]->plane(), results[i]->plane()});
      pairs[i].src.data = planes_[2 * i]->upload(sources[i]->bytes()) + sources[i]->origin();
      pairs[i].dst.data = planes_[2 * i + 1]->upload(results[i]->bytes()) + results[i]->origin();
    }
    convolver.run(pairs, nullptr);
    check(cudaGetLastError());
    for (std::size_t i = 0; i < results.size(); ++i)
      planes_[2 * i + 1]->download(results[i]->bytes());
  }

 private:
  std::vector<std::unique_ptr<DeviceBytes>> planes_;  // source and result of each pair
};

bool cuda_works() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#else

class Runner::DeviceMemory {
 public:
  static void run(Convolver&, std::span<const Picture* const>, std::span<Picture* const>) {
    throw std::logic_error("a build without CUDA has no such variant");
  }
};

bool cuda_works() { return false; }

#endif

namespace {

bool is_asked_for(std::string_view name) {
  static const char* const variable = std::getenv("VIDCONV_TEST_VARIANTS");
  static const std::string_view asked = variable ? variable : "";
  if (asked.ends_with('$')) return name == asked.substr(0, asked.size() - 1);
  return name.starts_with(asked);
}

// Tests run on the first device.
const CudaAbilities& abilities() {
  static const CudaAbilities first = cuda_abilities(0);
  return first;
}

}  // namespace

bool supports(const Variant& variant, const Plan& plan) {
  return variant.prepare(plan, abilities()) != nullptr;
}

std::vector<const Variant*> runnable_variants(int width, int height) {
  static const bool cuda = cuda_works();
  std::vector<const Variant*> result;
  for (const std::span<const Variant> table : {variants(), study_variants()})
    for (const Variant& variant : table) {
      const bool needs_cuda = variant.device == Device::cuda || variant.uses_cuda;
      if ((cuda || !needs_cuda) && variant.takes(width, height) &&
          (is_asked_for(variant.name) || variant.name == "reference"))
        result.push_back(&variant);
    }
  return result;
}

Runner::Runner(const Variant& variant, const Plan& plan, int threads)
    : device_(variant.device),
      convolver_(variant.prepare(plan, abilities())(threads)),
      memory_(std::make_unique<DeviceMemory>()) {}

Runner::~Runner() = default;

void Runner::run(const Picture& src, Picture& dst) {
  const Picture* const source = &src;
  Picture* const result = &dst;
  run(std::span(&source, 1), std::span(&result, 1));
}

void Runner::run(const std::vector<Picture>& sources, std::vector<Picture>& results) {
  std::vector<const Picture*> from;
  std::vector<Picture*> to;
  for (const Picture& source : sources) from.push_back(&source);
  for (Picture& result : results) to.push_back(&result);
  run(from, to);
}

void Runner::run(std::span<const Picture* const> sources, std::span<Picture* const> results) {
  if (device_ == Device::cuda) {
    memory_->run(*convolver_, sources, results);
    return;
  }
  std::vector<PlanePair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i)
    pairs.push_back({sources[i]->plane(), results[i]->plane()});
  convolver_->run(pairs, nullptr);
}

Picture expected(const Plan& plan, const Picture& src, const Picture& dst) {
  Picture result = dst;
  Runner(*find_any_variant("reference"), plan).run(src, result);
  return result;
}

}  // namespace vidconv::test
