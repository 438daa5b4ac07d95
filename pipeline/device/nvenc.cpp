#include "pipeline/device/nvenc.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <optional>
#include <string>

#include "kernels/cuda/copy/repack.h"
#include "pipeline/device/av_device.h"

namespace vidconv {
namespace {

constexpr const char* act = "cannot encode on the device";

}  // namespace

struct NvencPictures::Implementation {
  const int device;
  const PixelFormat& from;
  const PixelFormat& layout;
  std::optional<Stream> stream;  // NVENC reads a surface once this has passed what is queued here
  BufferPtr surfaces;

  Implementation(int index, const PixelFormat& format, AVPixelFormat id, int width, int height)
      : device(index), from(format), layout(*find_format(id)) {
    const CurrentDevice current(device);
    stream.emplace();
    const BufferPtr av_device = make_av_device(*stream, act, device);
    surfaces.reset(av_hwframe_ctx_alloc(av_device.get()));
    check(surfaces ? 0 : AVERROR(ENOMEM));
    auto& context = *reinterpret_cast<AVHWFramesContext*>(surfaces->data);
    context.format = AV_PIX_FMT_CUDA;
    context.sw_format = id;
    context.width = width;
    context.height = height;
    check(av_hwframe_ctx_init(surfaces.get()));
  }

  int check(int code) const {
    return check_av(code, Fault::device, act, "cuda:" + std::to_string(device));
  }
};

NvencPictures::NvencPictures(int device, const PixelFormat& format, AVPixelFormat layout, int width,
                             int height)
    : implementation_(std::make_unique<Implementation>(device, format, layout, width, height)) {}
NvencPictures::~NvencPictures() = default;

AVBufferRef* NvencPictures::surfaces() const { return implementation_->surfaces.get(); }

FramePtr NvencPictures::take(const Frame& frame) {
  const Implementation& self = *implementation_;
  if (!frame.on_device() || &frame.format() != &self.from)
    throw Error(Fault::internal, "a frame is not where or what its encoder takes",
                frame.format().name, "");
  const CurrentDevice current(self.device);
  FramePtr result = make_frame();
  self.check(av_hwframe_get_buffer(self.surfaces.get(), result.get(), 0));
  copy_properties(frame.av(), *result);
  for (std::size_t i = 0; i < self.layout.components.size(); ++i) {
    const Component& to = self.layout.components[i];
    const SampleType& sample = self.from.components[i].sample;
    const ConstBytePlane plane = frame.component(i);
    auto* data = reinterpret_cast<std::byte*>(result->data[to.plane]) + to.offset;
    // 16-bit layouts have the samples in the upper bits.
    const int shift = sample.bytes() == 1 ? 0 : 16 - sample.depth - sample.shift;
    as_device_error("use `device` cpu", [&] {
      cuda::repack(plane, shift,
                   {.data = data,
                    .stride = result->linesize[to.plane],
                    .width = plane.width,
                    .height = plane.height,
                    .step = to.step},
                   sample.storage, self.stream->get());
    });
  }
  self.stream->synchronise();
  return result;
}

}  // namespace vidconv
