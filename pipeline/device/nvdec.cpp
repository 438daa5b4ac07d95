#include "pipeline/device/nvdec.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <algorithm>
#include <utility>

#include "kernels/cuda/copy/repack.h"
#include "pipeline/av/frame.h"
#include "pipeline/device/av_device.h"

namespace vidconv {
namespace {

const PixelFormat* plain_format(AVPixelFormat coded) {
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  return find_format(without_range(coded, range));
}

// libavcodec does not crop the left and the top of a device's pictures. In host memory it crops on
// the left as far as all planes still begin at multiples of 32 bytes; this does the same.
void crop(AVFrame& frame, const PixelFormat& format) {
  std::size_t unit = 1;
  for (const Component& c : format.components)
    unit = std::max(unit, 32 * static_cast<std::size_t>(c.subsampling.x) /
                              static_cast<std::size_t>(c.step * c.sample.bytes()));
  frame.crop_left -= frame.crop_left % unit;
}

}  // namespace

const AVCodec* find_nvdec_codec(AVCodecID id) {
  if (id == AV_CODEC_ID_MJPEG) return nullptr;  // its pictures come out wrong
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state)) {
    if (codec->id != id || !av_codec_is_decoder(codec) || codec->wrapper_name) continue;
    for (int i = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(codec, i); ++i)
      if (config->device_type == AV_HWDEVICE_TYPE_CUDA &&
          (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
        return codec;
  }
  return nullptr;
}

NvdecShare share_device(int device, std::size_t frame_bytes, std::optional<int> sessions) {
  // Frames that a session keeps for itself: reference pictures and surfaces, rather more than less.
  constexpr std::size_t kept = 24;
  constexpr int most_sessions = 7;  // as many as an H200 has engines; more sessions lose
  const CurrentDevice current(device);
  std::size_t free = 0, all = 0;
  check_cuda(cudaMemGetInfo(&free, &all), "cannot use the device");
  const std::size_t frames = free / 2 / frame_bytes;
  NvdecShare share;
  share.sessions =
      sessions.value_or(std::clamp(static_cast<int>(frames / (2 * kept)), 1, most_sessions));
  const std::size_t taken = kept * static_cast<std::size_t>(share.sessions);
  share.frames = std::max<std::size_t>(frames > taken ? frames - taken : 0, 8);
  return share;
}

NvdecMemory::NvdecMemory(int index) : device(index), pool(device_memory) {}

struct NvdecPictures::Implementation {
  const std::shared_ptr<NvdecMemory> memory;
  std::optional<Stream> stream;  // NVDEC's output is complete before it is repacked
  BufferPtr device;

  explicit Implementation(std::shared_ptr<NvdecMemory> from) : memory(std::move(from)) {
    const CurrentDevice current(memory->device);
    stream.emplace();
    device = make_av_device(*stream, "cannot decode on the device", memory->device);
  }
};

NvdecPictures::NvdecPictures(std::shared_ptr<NvdecMemory> memory)
    : implementation_(std::make_unique<Implementation>(std::move(memory))) {}
NvdecPictures::~NvdecPictures() = default;

AVBufferRef* NvdecPictures::device() const { return implementation_->device.get(); }

// The layouts that NVDEC writes hold every sample of these formats, and no others of the table.
bool NvdecPictures::can_take(AVPixelFormat coded) {
  const PixelFormat* format = plain_format(coded);
  if (!format || format->components.size() != 3) return false;
  const Component& chroma = format->components[1];
  const bool halved = chroma.subsampling.x == 2 && chroma.subsampling.y == 2;
  const bool whole = chroma.subsampling.x == 1 && chroma.subsampling.y == 1;
  return chroma.kind == Component::Kind::chroma && format->planes == 3 && (halved || whole);
}

FramePtr NvdecPictures::take(FramePtr frame, AVPixelFormat coded) {
  Implementation& self = *implementation_;
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(
      frame->hw_frames_ctx ? frame->hw_frames_ctx->data : nullptr);
  const PixelFormat* from = frames ? find_format(frames->sw_format) : nullptr;
  const PixelFormat* to = plain_format(coded);
  if (!from || !to || from->components.size() != to->components.size())
    throw Error(Fault::device, "cannot take a picture from NVDEC",
                frames ? av_get_pix_fmt_name(frames->sw_format) : "", "it is of no known format",
                "use `decoder` cpu");
  const CurrentDevice current(self.memory->device);
  crop(*frame, *to);
  const int width = frame->width - static_cast<int>(frame->crop_left);
  const int height = frame->height - static_cast<int>(frame->crop_top);
  FramePtr result = self.memory->pool.of(aligned_layout(*to, width, height))->get();
  copy_properties(*frame, *result);
  result->crop_left = result->crop_top = result->crop_right = result->crop_bottom = 0;
  AVColorRange range = result->color_range;
  without_range(coded, range);
  result->color_range = range;

  Frame plain(std::move(result), 0, Frame::Memory::device);
  for (std::size_t i = 0; i < to->components.size(); ++i) {
    const Component& c = from->components[i];
    const Component& wanted = to->components[i];
    const BytePlane out = plain.component(i);
    const std::size_t left = frame->crop_left / static_cast<std::size_t>(c.subsampling.x);
    const std::size_t top = frame->crop_top / static_cast<std::size_t>(c.subsampling.y);
    const auto* data = reinterpret_cast<const std::byte*>(frame->data[c.plane]) + c.offset +
                       static_cast<std::size_t>(frame->linesize[c.plane]) * top +
                       left * static_cast<std::size_t>(c.step * c.sample.bytes());
    const int shift = c.sample.bytes() == 1 ? 0 : 16 - wanted.sample.depth;
    as_device_error("use `decoder` cpu", [&] {
      cuda::repack({.data = data,
                    .stride = frame->linesize[c.plane],
                    .width = out.width,
                    .height = out.height,
                    .step = c.step},
                   -shift, out, wanted.sample.storage, self.stream->get());
    });
  }
  self.stream->synchronise();
  return plain.release();
}

}  // namespace vidconv
