#include "pipeline/encode/kept_picture.h"

#include <fmt/format.h>

#include "pipeline/av/av_log.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vidconv {
namespace {

FramePtr decoded_alone(const AVCodecParameters& made, const AVPacket& packet) {
  const AVCodec* decoder = avcodec_find_decoder(made.codec_id);
  CodecContextPtr context(decoder ? avcodec_alloc_context3(decoder) : nullptr);
  if (!context || avcodec_parameters_to_context(context.get(), &made) < 0) return nullptr;
  context->thread_count = 1;  // frames come out at once
  if (avcodec_open2(context.get(), decoder, nullptr) < 0) return nullptr;
  FramePtr frame = make_frame();
  if (avcodec_send_packet(context.get(), &packet) < 0 ||
      avcodec_send_packet(context.get(), nullptr) < 0 ||
      avcodec_receive_frame(context.get(), frame.get()) < 0)
    return nullptr;
  return frame;
}

// Decoders of these show transparency only where the container has said that it is beside them.
bool has_alpha_beside(AVCodecID id) { return id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9; }

}  // namespace

bool may_lose(AVPixelFormat coded) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(coded);
  if (!d || (d->flags & AV_PIX_FMT_FLAG_PAL)) return false;
  const bool more_chroma = d->nb_components > 2 && (d->log2_chroma_w == 0 || d->log2_chroma_h == 0);
  return (d->flags & AV_PIX_FMT_FLAG_ALPHA) || d->comp[0].depth > 8 || more_chroma;
}

std::string not_kept(const AVCodecParameters& made, const AVPacket& packet, AVPixelFormat coded) {
  const AvLines lines;  // a refusal here is no answer
  const FramePtr frame = decoded_alone(made, packet);
  take_av_line();
  const AVPixFmtDescriptor* a = av_pix_fmt_desc_get(coded);
  const AVPixFmtDescriptor* b =
      frame ? av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format)) : nullptr;
  if (!a || !b || (b->flags & AV_PIX_FMT_FLAG_PAL)) return {};
  std::string lost;
  const auto add = [&](const std::string& what) { lost += (lost.empty() ? "" : ", ") + what; };
  if ((a->flags & AV_PIX_FMT_FLAG_ALPHA) && !(b->flags & AV_PIX_FMT_FLAG_ALPHA) &&
      !has_alpha_beside(made.codec_id))
    add("transparency");
  if (b->comp[0].depth < a->comp[0].depth)
    add(fmt::format("{} bits a sample as {}", a->comp[0].depth, b->comp[0].depth));
  if (a->nb_components > 2 && b->nb_components < 3)
    add("colours");
  else if (b->log2_chroma_w > a->log2_chroma_w || b->log2_chroma_h > a->log2_chroma_h)
    add("some of the chroma");
  return lost;
}

}  // namespace vidconv
