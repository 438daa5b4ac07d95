#include "pipeline/sink/subtitles.h"

#include <cstring>
#include <limits>
#include <utility>

#include "pipeline/av/container.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::size_t largest_text = 64 << 10;  // bytes of one coded subtitle

bool is_text(AVCodecID codec) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
  return descriptor && (descriptor->props & AV_CODEC_PROP_TEXT_SUB);
}

// Returns the container's first text codec, in order of the style that they keep.
AVCodecID text_codec_of(const AVOutputFormat& container) {
  for (const AVCodecID codec :
       {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_ASS})
    if (can_hold(container, codec)) return codec;
  return AV_CODEC_ID_NONE;
}

CodecContextPtr open_subtitle_decoder(const AVStream& from) {
  const AVCodec* codec = avcodec_find_decoder(from.codecpar->codec_id);
  CodecContextPtr context(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!context || avcodec_parameters_to_context(context.get(), from.codecpar) < 0) return nullptr;
  context->pkt_timebase = from.time_base;
  return avcodec_open2(context.get(), codec, nullptr) < 0 ? nullptr : std::move(context);
}

CodecContextPtr open_subtitle_encoder(AVCodecID id, const AVCodecContext& decoder) {
  const AVCodec* codec = avcodec_find_encoder(id);
  CodecContextPtr context(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!context) return nullptr;
  context->time_base = AV_TIME_BASE_Q;
  if (decoder.subtitle_header_size > 0) {  // ASS styles, which encoders need
    const auto size = static_cast<std::size_t>(decoder.subtitle_header_size);
    context->subtitle_header = static_cast<std::uint8_t*>(av_mallocz(size + 1));
    if (!context->subtitle_header) return nullptr;
    std::memcpy(context->subtitle_header, decoder.subtitle_header, size);
    context->subtitle_header_size = decoder.subtitle_header_size;
  }
  context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  return avcodec_open2(context.get(), codec, nullptr) < 0 ? nullptr : std::move(context);
}

struct Subtitle : AVSubtitle {
  Subtitle() : AVSubtitle{} {}
  ~Subtitle() { avsubtitle_free(this); }
  Subtitle(const Subtitle&) = delete;
  Subtitle& operator=(const Subtitle&) = delete;
};

}  // namespace

SubtitleConverter::SubtitleConverter(CodecContextPtr decoder, CodecContextPtr encoder,
                                     AVRational time_base)
    : decoder_(std::move(decoder)),
      encoder_(std::move(encoder)),
      time_base_(time_base),
      buffer_(largest_text) {}

std::unique_ptr<SubtitleConverter> SubtitleConverter::make(const AVStream& from,
                                                           const AVOutputFormat& container) {
  const AVCodecID codec = text_codec_of(container);
  if (!is_text(from.codecpar->codec_id) || codec == AV_CODEC_ID_NONE) return nullptr;
  CodecContextPtr decoder = open_subtitle_decoder(from);
  if (!decoder) return nullptr;
  CodecContextPtr encoder = open_subtitle_encoder(codec, *decoder);
  if (!encoder) return nullptr;
  return std::unique_ptr<SubtitleConverter>(
      new SubtitleConverter(std::move(decoder), std::move(encoder), from.time_base));
}

PacketPtr SubtitleConverter::convert(const AVPacket& packet) {
  const auto check = [&](int code) {
    return check_av(code, Fault::input, "cannot convert the subtitle", decoder_->codec->name);
  };
  Subtitle subtitle;
  int got = 0;
  check(avcodec_decode_subtitle2(decoder_.get(), &subtitle, &got, const_cast<AVPacket*>(&packet)));
  if (!got || subtitle.num_rects == 0) return nullptr;
  const auto in_ticks = [&](std::uint32_t milliseconds) {
    return av_rescale_q(milliseconds, {1, 1000}, time_base_);
  };
  const std::int64_t begin = av_sat_add64(packet.pts, in_ticks(subtitle.start_display_time));
  std::int64_t duration = packet.duration;
  if (duration <= 0 && subtitle.end_display_time != std::numeric_limits<std::uint32_t>::max())
    duration = in_ticks(subtitle.end_display_time - subtitle.start_display_time);
  subtitle.end_display_time -= subtitle.start_display_time;
  subtitle.start_display_time = 0;  // encoders insist on it
  const int size = check(avcodec_encode_subtitle(encoder_.get(), buffer_.data(),
                                                 static_cast<int>(buffer_.size()), &subtitle));
  PacketPtr result = make_packet();
  check(av_new_packet(result.get(), size));
  std::memcpy(result->data, buffer_.data(), static_cast<std::size_t>(size));
  result->pts = result->dts = begin;
  result->duration = duration;
  return result;
}

}  // namespace vidconv
