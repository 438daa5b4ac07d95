// Stands for cuda.cpp and processor_cuda.cpp in a build without CUDA.
#include "pipeline/cuda.h"
#include "pipeline/processor.h"

namespace vidconv {
namespace {

constexpr const char* no_cuda = "this build has no CUDA";

}  // namespace

const HostMemory pinned_memory = plain_memory;

CudaDevices cuda_devices() { return {.devices = {}, .why_none = no_cuda}; }

std::unique_ptr<Processor> make_cuda_processor(Work, int, int, const ProcessorOptions& options) {
  throw Error(Fault::device, "cannot use the device",
              "cuda:" + std::to_string(options.device_index), no_cuda, "use --device cpu");
}

}  // namespace vidconv
