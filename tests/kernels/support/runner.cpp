#include "tests/kernels/support/runner.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/study/study.h"
#include "kernels/variants/variants.h"

#ifdef VIDCONV_HAVE_CUDA
#include "kernels/cuda/common/check.h"
#include "kernels/cuda/common/device_buffer.h"
#endif

namespace vidconv::test {

#ifdef VIDCONV_HAVE_CUDA

namespace {

// The legacy default stream: copies wait for the kernels.
constexpr cudaStream_t stream = nullptr;

int current_device() {
  int device = 0;
  cuda::check(cudaGetDevice(&device), "the current device");
  return device;
}

}  // namespace

class Runner::DeviceMemory {
 public:
  void run(Convolver& convolver, std::span<const Picture* const> sources,
           std::span<Picture* const> results) {
    cuda::check(cudaSetDevice(device_), "the device of a test");
    if (planes_.size() < 2 * sources.size()) planes_.resize(2 * sources.size());
    std::vector<PlanePair> pairs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      pairs.push_back({sources[i]->plane(), results[i]->plane()});
      pairs[i].src.data = upload(sources[i]->bytes(), planes_[2 * i]) + sources[i]->origin();
      pairs[i].dst.data = upload(results[i]->bytes(), planes_[2 * i + 1]) + results[i]->origin();
    }
    convolver.run(pairs, stream);
    cuda::check_launch("a variant");
    for (std::size_t i = 0; i < results.size(); ++i)
      planes_[2 * i + 1].download(results[i]->bytes(), stream);
  }

 private:
  std::byte* upload(const std::vector<std::byte>& bytes, cuda::DeviceBuffer& to) const {
    if (bytes.size() > to.size()) to = cuda::DeviceBuffer(device_, 2 * bytes.size());
    to.upload(bytes, stream);
    return to.data();
  }

  int device_ = current_device();
  std::vector<cuda::DeviceBuffer> planes_;  // source and result of each pair
};

int cuda_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void use_cuda_device(int index) { cuda::check(cudaSetDevice(index), "the device of a test"); }

#else

class Runner::DeviceMemory {
 public:
  static void run(Convolver&, std::span<const Picture* const>, std::span<Picture* const>) {
    throw std::logic_error("a build without CUDA has no such variant");
  }
};

int cuda_devices() { return 0; }

void use_cuda_device(int) {}

#endif

namespace {

std::string_view asked_variants() {
  static const char* const variable = std::getenv("VIDCONV_TEST_VARIANTS");
  return variable ? variable : "";
}

bool is_asked_for(std::string_view name) {
  const std::string_view asked = asked_variants();
  if (asked.ends_with('$')) return name == asked.substr(0, asked.size() - 1);
  return name.starts_with(asked);
}

// Tests run on the first device.
const CudaAbilities& abilities() {
  static const CudaAbilities first = cuda_abilities(0);
  return first;
}

}  // namespace

bool cuda_works() { return cuda_devices() > 0; }

bool supports(const Variant& variant, const Plan& plan) {
  return variant.prepare(plan, abilities()) != nullptr;
}

std::unique_ptr<Convolver> convolver_of(const Variant& variant, const Plan& plan) {
  return variant.prepare(plan, abilities())(1);
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
      memory_(device_ == Device::cuda ? std::make_unique<DeviceMemory>() : nullptr) {}

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

const Variant& oracle_of(const Plan& plan) {
  static std::size_t asked = 0;
  if (asked_variants().starts_with("cuda-") && ++asked % 8 != 0) {
    const Variant& picked = *pick(plan, Device::cpu).variant;
    if (picked.takes(1, 1)) return picked;
  }
  return *find_variant("reference");
}

Picture expected(const Plan& plan, const Picture& src, const Picture& dst) {
  Picture result = dst;
  Runner(oracle_of(plan), plan).run(src, result);
  return result;
}

}  // namespace vidconv::test
