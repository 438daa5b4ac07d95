#include "pipeline/encode/reconstructed_pictures.h"

namespace vidconv {

#ifdef AV_CODEC_FLAG_RECON_FRAME

// Asks for H.264 only: its decoding is exact to the bit, unlike MPEG-4's, and nothing is added
// after it, unlike AV1's film grain.
void ask_for_pictures(AVCodecContext& encoder) {
  if (encoder.codec_id != AV_CODEC_ID_H264 ||
      !(encoder.codec->capabilities & AV_CODEC_CAP_ENCODER_RECON_FRAME))
    return;
  // libx264's wrapper has no format for deep pictures whose chroma x264 interleaves, and fails
  // (ENOSYS) after it has encoded the first.
  const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(encoder.pix_fmt);
  if (format.comp[0].depth > 8 && format.log2_chroma_w > 0) return;
  encoder.flags |= AV_CODEC_FLAG_RECON_FRAME;
}

FramePtr made_picture(AVCodecContext& encoder) {
  if (!(encoder.flags & AV_CODEC_FLAG_RECON_FRAME)) return nullptr;
  FramePtr picture = make_frame();
  const int code = avcodec_receive_frame(&encoder, picture.get());
  if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return nullptr;
  check_av(code, Fault::output, "cannot encode with", encoder.codec->name);
  // x264 codes green, blue and red as Y, U and V, and calls them so.
  if (picture->format == AV_PIX_FMT_YUV444P &&
      av_pix_fmt_desc_get(encoder.pix_fmt)->flags & AV_PIX_FMT_FLAG_RGB)
    picture->format = AV_PIX_FMT_GBRP;
  return picture;
}

#else

void ask_for_pictures(AVCodecContext&) {}
FramePtr made_picture(AVCodecContext&) { return nullptr; }

#endif

}  // namespace vidconv
