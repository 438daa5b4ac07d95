// Replaces caller_frames_cuda.cpp, cuda.cpp, device_mask_cuda.cpp, nvdec.cpp, nvenc.cpp,
// picture_filter_cuda.cpp, processor_cuda.cpp, shared_uploads_cuda.cpp and window_filter_cuda.cpp
// in a build without CUDA.
#include "pipeline/device/cuda.h"
#include "pipeline/device/nvdec.h"
#include "pipeline/device/nvenc.h"
#include "pipeline/filter/caller_frames.h"
#include "pipeline/filter/device_mask.h"
#include "pipeline/filter/picture_filter.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/shared_uploads.h"
#include "pipeline/filter/window_filter.h"

namespace vidconv {
namespace {

constexpr const char* no_cuda = "this build has no CUDA";

}  // namespace

const FrameMemory pinned_memory = plain_memory;

CudaDevices cuda_devices() { return {.devices = {}, .why_none = no_cuda}; }

bool has_cuda_driver() { return false; }
void wake_devices(const std::vector<int>&) noexcept {}
int device_of(const std::byte*) noexcept { return -1; }
bool reach_each_other(const std::vector<int>&) noexcept { return false; }
std::optional<int> node_of_device(int) noexcept { return std::nullopt; }
FrameMemory pinned_memory_near(std::optional<int>) { return plain_memory; }
void pin_when_awake() noexcept {}
void keep_pinned_memory(bool) noexcept {}
bool pinned_memory_ran_out() { return false; }

std::unique_ptr<Processor> make_cuda_processor(TimedWork, int, int,
                                               const ProcessorOptions& options) {
  throw Error(Fault::device, "cannot use the device",
              "cuda:" + std::to_string(options.device_index), no_cuda, "use `device` cpu");
}

std::unique_ptr<SharedUploads> make_shared_uploads() { return nullptr; }

std::unique_ptr<PictureFilter> make_cuda_picture_filter(Work, int, int,
                                                        const ProcessorOptions& options,
                                                        const PictureMemory&) {
  throw Error(Fault::device, "cannot use the device",
              "cuda:" + std::to_string(options.device_index), no_cuda, "use `device` cpu");
}

std::unique_ptr<WindowFilter> make_cuda_window_filter(const TimedWork&, int, int,
                                                      const ProcessorOptions& options,
                                                      const PictureMemory&) {
  throw Error(Fault::device, "cannot use the device",
              "cuda:" + std::to_string(options.device_index), no_cuda, "use `device` cpu");
}

std::shared_ptr<DeviceMask> make_device_mask(const RegionPlace&, const PixelFormat&, int, int) {
  throw Error(Fault::device, "cannot make a mask on a device", "", no_cuda, "use `device` cpu");
}

std::unique_ptr<const StreamMark> mark_stream(int device, CudaStream) {
  throw Error(Fault::device, "cannot use the device", "cuda:" + std::to_string(device), no_cuda);
}
std::unique_ptr<DevicePictures> make_device_pictures(int device, const PixelFormat&, int, int,
                                                     int) {
  throw Error(Fault::device, "cannot use the device", "cuda:" + std::to_string(device), no_cuda,
              "use `device` cpu");
}

// NVDEC is never asked for without a device.
const AVCodec* find_nvdec_codec(AVCodecID) { return nullptr; }
NvdecShare share_device(int, std::size_t, std::optional<int>) { return {1, 8}; }
NvdecMemory::NvdecMemory(int index) : device(index), pool(plain_memory) {}

struct NvdecPictures::Implementation {};
NvdecPictures::NvdecPictures(std::shared_ptr<NvdecMemory> memory) {
  throw Error(Fault::device, "cannot decode on the device",
              "cuda:" + std::to_string(memory->device), no_cuda, "use `decoder` cpu");
}
NvdecPictures::~NvdecPictures() = default;
AVBufferRef* NvdecPictures::device() const { return nullptr; }
bool NvdecPictures::can_take(AVPixelFormat) { return false; }
FramePtr NvdecPictures::take(FramePtr frame, AVPixelFormat) { return frame; }

struct NvencPictures::Implementation {};
NvencPictures::NvencPictures(int device, const PixelFormat&, AVPixelFormat, int, int) {
  throw Error(Fault::device, "cannot encode on the device", "cuda:" + std::to_string(device),
              no_cuda, "use `device` cpu");
}
NvencPictures::~NvencPictures() = default;
AVBufferRef* NvencPictures::surfaces() const { return nullptr; }
FramePtr NvencPictures::take(const Frame&) { return nullptr; }

}  // namespace vidconv
