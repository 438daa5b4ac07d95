// A double of CUDA's driver, libcuda.so.1, as far as libavutil and NVENC's double need it: one
// device whose memory is the host's. It is for builds without CUDA on machines without it.
#include <ffnvcodec/dynlink_cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

thread_local std::vector<CUcontext> contexts;
int the_context;

CUcontext context() { return reinterpret_cast<CUcontext>(&the_context); }

char* address(CUdeviceptr memory) { return reinterpret_cast<char*>(memory); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
  *value = 512;  // an alignment
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "double");
  return CUDA_SUCCESS;
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice) {
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext pushed) {
  contexts.push_back(pushed);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* popped) {
  if (contexts.empty()) return CUDA_ERROR_NOT_READY;
  *popped = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v2(CUcontext* created, unsigned, CUdevice) {
  *created = context();
  return cuCtxPushCurrent_v2(*created);
}
CUresult cuCtxDestroy_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) { return cuDeviceGet(device, 0); }
CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
  *memory = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  std::free(address(memory));
  return CUDA_SUCCESS;
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* c) {
  const char* from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? static_cast<const char*>(c->srcHost)
                                                            : address(c->srcDevice);
  char* to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? static_cast<char*>(c->dstHost)
                                                    : address(c->dstDevice);
  for (std::size_t y = 0; y < c->Height; ++y)
    std::memcpy(to + (c->dstY + y) * c->dstPitch + c->dstXInBytes,
                from + (c->srcY + y) * c->srcPitch + c->srcXInBytes, c->WidthInBytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* c, CUstream) { return cuMemcpy2D_v2(c); }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult, const char** text) {
  *text = "an error of the double";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) { return cuGetErrorName(error, text); }

// These symbols must exist but are not used.
#define VIDCONV_NOT_THERE(name) \
  CUresult name() { return CUDA_ERROR_NOT_READY; }
VIDCONV_NOT_THERE(cuDriverGetVersion)
VIDCONV_NOT_THERE(cuCtxGetCurrent)
VIDCONV_NOT_THERE(cuStreamWaitEvent)
VIDCONV_NOT_THERE(cuArrayCreate_v2)
VIDCONV_NOT_THERE(cuCtxSetLimit)
VIDCONV_NOT_THERE(cuMemAllocPitch_v2)
VIDCONV_NOT_THERE(cuMemAllocManaged)
VIDCONV_NOT_THERE(cuMemsetD8Async)
VIDCONV_NOT_THERE(cuMemcpy)
VIDCONV_NOT_THERE(cuMemcpyAsync)
VIDCONV_NOT_THERE(cuMemcpyHtoD_v2)
VIDCONV_NOT_THERE(cuMemcpyHtoDAsync_v2)
VIDCONV_NOT_THERE(cuMemcpyDtoH_v2)
VIDCONV_NOT_THERE(cuMemcpyDtoHAsync_v2)
VIDCONV_NOT_THERE(cuMemcpyDtoD_v2)
VIDCONV_NOT_THERE(cuMemcpyDtoDAsync_v2)
VIDCONV_NOT_THERE(cuDevicePrimaryCtxRetain)
VIDCONV_NOT_THERE(cuDevicePrimaryCtxRelease)
VIDCONV_NOT_THERE(cuDevicePrimaryCtxSetFlags)
VIDCONV_NOT_THERE(cuDevicePrimaryCtxGetState)
VIDCONV_NOT_THERE(cuDevicePrimaryCtxReset)
VIDCONV_NOT_THERE(cuStreamCreate)
VIDCONV_NOT_THERE(cuStreamQuery)
VIDCONV_NOT_THERE(cuStreamDestroy_v2)
VIDCONV_NOT_THERE(cuStreamAddCallback)
VIDCONV_NOT_THERE(cuEventCreate)
VIDCONV_NOT_THERE(cuEventDestroy_v2)
VIDCONV_NOT_THERE(cuEventSynchronize)
VIDCONV_NOT_THERE(cuEventQuery)
VIDCONV_NOT_THERE(cuEventRecord)
VIDCONV_NOT_THERE(cuLaunchKernel)
VIDCONV_NOT_THERE(cuLinkCreate)
VIDCONV_NOT_THERE(cuLinkAddData)
VIDCONV_NOT_THERE(cuLinkComplete)
VIDCONV_NOT_THERE(cuLinkDestroy)
VIDCONV_NOT_THERE(cuModuleLoadData)
VIDCONV_NOT_THERE(cuModuleUnload)
VIDCONV_NOT_THERE(cuModuleGetFunction)
VIDCONV_NOT_THERE(cuModuleGetGlobal)
VIDCONV_NOT_THERE(cuTexObjectCreate)
VIDCONV_NOT_THERE(cuTexObjectDestroy)
VIDCONV_NOT_THERE(cuGLGetDevices_v2)
VIDCONV_NOT_THERE(cuGraphicsGLRegisterImage)
VIDCONV_NOT_THERE(cuGraphicsUnregisterResource)
VIDCONV_NOT_THERE(cuGraphicsMapResources)
VIDCONV_NOT_THERE(cuGraphicsUnmapResources)
VIDCONV_NOT_THERE(cuGraphicsSubResourceGetMappedArray)
VIDCONV_NOT_THERE(cuGraphicsResourceGetMappedPointer_v2)
VIDCONV_NOT_THERE(cuArray3DCreate_v2)
VIDCONV_NOT_THERE(cuArrayDestroy)
}
