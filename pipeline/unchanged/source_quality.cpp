#include "pipeline/unchanged/source_quality.h"

#include <algorithm>
#include <array>

extern "C" {
#include <libavutil/video_enc_params.h>
}

namespace vidconv {
namespace {

// Adds up the quantisers of all blocks of the frames that others refer to: the scales of encoders
// mean those.
struct QuantiserMean {
  double sum = 0;
  std::int64_t blocks = 0;

  void add(const AVFrame& frame) {
    const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_VIDEO_ENC_PARAMS);
    if (!data || frame.pict_type == AV_PICTURE_TYPE_B) return;
    auto* params = reinterpret_cast<AVVideoEncParams*>(data->data);
    if (params->nb_blocks == 0) {
      sum += params->qp;
      ++blocks;
    }
    for (unsigned i = 0; i < params->nb_blocks; ++i)
      sum += params->qp + av_video_enc_params_block(params, i)->delta_qp;
    blocks += params->nb_blocks;
  }
};

std::optional<double> decoded_mean(const std::vector<PacketPtr>& packets,
                                   const AVCodecParameters& stream) {
  const AVCodec* codec = avcodec_find_decoder(stream.codec_id);
  CodecContextPtr context(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!context || avcodec_parameters_to_context(context.get(), &stream) < 0) return std::nullopt;
  context->export_side_data |= AV_CODEC_EXPORT_DATA_VIDEO_ENC_PARAMS;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) return std::nullopt;
  QuantiserMean mean;
  const FramePtr frame = make_frame();
  const auto take = [&] {
    for (; avcodec_receive_frame(context.get(), frame.get()) >= 0; av_frame_unref(frame.get()))
      mean.add(*frame);
  };
  for (const PacketPtr& packet : packets) {
    avcodec_send_packet(context.get(), packet.get());
    take();
  }
  avcodec_send_packet(context.get(), nullptr);
  take();
  if (mean.blocks == 0) return std::nullopt;
  return mean.sum / static_cast<double>(mean.blocks);
}

// JPEG's own table of luma against that which FFmpeg's encoder multiplies by its qscale: MPEG-1's
// (ISO/IEC 11172-2, 2.4.3.2), whose steps add up to this, but for the first.
std::optional<double> of_jpeg(const AVPacket& packet) {
  constexpr double steps_of_encoder = 2106, eighths = 8, cut_off = 0.5 * 63;  // in rounding down
  for (int i = 0; i + 4 + 65 < packet.size; ++i) {
    const std::uint8_t* at = packet.data + i;
    if (at[0] != 0xff || at[1] != 0xdb) continue;
    const bool deep = at[4] >> 4U, luma = (at[4] & 15U) == 0;
    if (deep || !luma) return std::nullopt;
    double steps = 0;
    for (int k = 1; k < 64; ++k) steps += at[5 + k];
    return (steps + cut_off) * eighths / steps_of_encoder;
  }
  return std::nullopt;
}

// libvpx's crf counts quantisers that lie so far apart in VP9's own table of 256.
std::optional<double> of_vp9(double index) {
  constexpr std::array table{0,   4,   8,   12,  16,  20,  24,  28,  32,  36,  40,  44,  48,
                             52,  56,  60,  64,  68,  72,  76,  80,  84,  88,  92,  96,  100,
                             104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144, 148, 152,
                             156, 160, 164, 168, 172, 176, 180, 184, 188, 192, 196, 200, 204,
                             208, 212, 216, 220, 224, 228, 232, 236, 240, 244, 249, 255};
  return static_cast<double>(std::ranges::lower_bound(table, static_cast<int>(index)) -
                             table.begin());
}

}  // namespace

std::optional<double> quality_of(const std::vector<PacketPtr>& packets,
                                 const AVCodecParameters& stream) {
  if (packets.empty()) return std::nullopt;
  if (stream.codec_id == AV_CODEC_ID_MJPEG) return of_jpeg(*packets[0]);
  const std::optional<double> mean = decoded_mean(packets, stream);
  if (!mean) return std::nullopt;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.format));
  constexpr int steps_of_a_bit = 6;
  switch (stream.codec_id) {
    case AV_CODEC_ID_H264:
      return *mean - steps_of_a_bit * (format ? format->comp[0].depth - 8 : 0);
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
      return *mean / 2;
    case AV_CODEC_ID_VP9:
      return of_vp9(*mean);
    default:
      return std::nullopt;
  }
}

}  // namespace vidconv
