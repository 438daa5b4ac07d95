#include "pipeline/device/av_device.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace vidconv {
namespace {

// Returns the runtime's context of the current device. av_hwdevice_ctx_create() would want a
// context with libavutil's own flags.
CUcontext current_context() {
  void* const address = driver_function("cuCtxGetCurrent");
  check_cuda(address ? cudaSuccess : cudaErrorSymbolNotFound, "cannot use the CUDA driver");
  CUcontext context = nullptr;
  reinterpret_cast<CUresult (*)(CUcontext*)>(address)(&context);
  return context;
}

}  // namespace

BufferPtr make_av_device(const Stream& stream, const char* act, int index) {
  const auto check = [&](int code) {
    check_av(code, Fault::device, act, "cuda:" + std::to_string(index));
  };
  BufferPtr device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  check(device ? 0 : AVERROR(ENOSYS));
  auto* context = reinterpret_cast<AVHWDeviceContext*>(device->data);
  auto* cuda = static_cast<AVCUDADeviceContext*>(context->hwctx);
  cuda->cuda_ctx = current_context();
  cuda->stream = stream.get();
  check(av_hwdevice_ctx_init(device.get()));
  return device;
}

}  // namespace vidconv
