#include "pipeline/sink/sound.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

#include "kernels/base/names.h"
#include "pipeline/av/container.h"
#include "pipeline/sink/timeless_sound.h"

namespace vidconv {
namespace {

constexpr std::int64_t longest_silence = 3600;  // seconds; longer ones are no gaps

std::vector<std::string_view> sound_encoder_names() {
  std::vector<std::string_view> names{"copy", "none"};
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state)) {
    if (codec->type != AVMEDIA_TYPE_AUDIO || !av_codec_is_encoder(codec)) continue;
    for (const char* name : {codec->name, avcodec_get_name(codec->id)})
      if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

// Lists what an encoder takes; an empty list means everything.
struct Taken {
  std::vector<AVSampleFormat> formats;
  std::vector<int> rates;
  std::vector<AVChannelLayout> layouts;
};

Taken taken_by(const AVCodec& encoder) {
  Taken taken;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const auto list = [&](AVCodecConfig config, auto& to) {
    using Value = typename std::decay_t<decltype(to)>::value_type;
    const void* values = nullptr;
    int count = 0;
    if (avcodec_get_supported_config(nullptr, &encoder, config, 0, &values, &count) < 0 || !values)
      return;
    const auto* first = static_cast<const Value*>(values);
    to.assign(first, first + count);
  };
  list(AV_CODEC_CONFIG_SAMPLE_FORMAT, taken.formats);
  list(AV_CODEC_CONFIG_SAMPLE_RATE, taken.rates);
  list(AV_CODEC_CONFIG_CHANNEL_LAYOUT, taken.layouts);
#else
  for (const auto* p = encoder.sample_fmts; p && *p != AV_SAMPLE_FMT_NONE; ++p)
    taken.formats.push_back(*p);
  for (const int* p = encoder.supported_samplerates; p && *p != 0; ++p) taken.rates.push_back(*p);
  for (const auto* p = encoder.ch_layouts; p && p->nb_channels != 0; ++p)
    taken.layouts.push_back(*p);
#endif
  return taken;
}

// Prefers the same format, else the smallest that holds as many bits, else the largest.
AVSampleFormat nearest_format(const std::vector<AVSampleFormat>& taken, AVSampleFormat from) {
  if (taken.empty()) return from;
  const auto cost = [&](AVSampleFormat to) {
    const int more = av_get_bytes_per_sample(to) - av_get_bytes_per_sample(from);
    const bool same = av_get_packed_sample_fmt(to) == av_get_packed_sample_fmt(from);
    return same ? 0 : more >= 0 ? 1 + more : 100 - more;
  };
  return *std::ranges::min_element(taken, {}, cost);
}

// Prefers the same rate, else the next higher, else the highest.
int nearest_rate(const std::vector<int>& taken, int from) {
  if (taken.empty()) return from;
  const auto cost = [&](int to) {
    return to >= from ? std::int64_t{to} - from : (std::int64_t{1} << 40) - to;
  };
  return *std::ranges::min_element(taken, {}, cost);
}

// Prefers the same layout, else as many channels, else the most of those with fewer.
AVChannelLayout nearest_layout(const std::vector<AVChannelLayout>& taken,
                               const AVChannelLayout& from) {
  AVChannelLayout named = from;
  if (from.order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(&named, from.nb_channels);
  if (taken.empty()) return named;
  const auto cost = [&](const AVChannelLayout& to) {
    if (av_channel_layout_compare(&to, &named) == 0) return 0;
    const int fewer = named.nb_channels - to.nb_channels;
    return fewer >= 0 ? 1 + fewer : 1000 - fewer;
  };
  return *std::ranges::min_element(taken, {}, cost);
}

CodecContextPtr open_sound_decoder(const AVStream& from) {
  const AVCodec* codec = avcodec_find_decoder(from.codecpar->codec_id);
  CodecContextPtr context(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!context || avcodec_parameters_to_context(context.get(), from.codecpar) < 0) return nullptr;
  context->pkt_timebase = from.time_base;
  context->thread_count = 1;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) return nullptr;
  return context->sample_rate > 0 && context->ch_layout.nb_channels > 0 ? std::move(context)
                                                                        : nullptr;
}

}  // namespace

void SoundConverter::Closer::operator()(SwrContext* p) const { swr_free(&p); }
void SoundConverter::Closer::operator()(AVAudioFifo* p) const { av_audio_fifo_free(p); }

const AVCodec& choose_sound_encoder(const std::string& name, const AVOutputFormat& container) {
  const AVCodec* codec = avcodec_find_encoder_by_name(name.c_str());
  if (!codec)
    if (const AVCodecDescriptor* wanted = avcodec_descriptor_get_by_name(name.c_str()))
      codec = avcodec_find_encoder(wanted->id);
  if (!codec || codec->type != AVMEDIA_TYPE_AUDIO)
    throw Error(Fault::usage, "there is no encoder of sound", name,
                "FFmpeg has none of that name here" + did_you_mean(name, sound_encoder_names()),
                "use copy, none or one that 'ffmpeg -encoders' lists");
  if ((!can_hold(container, codec->id) && !tells_in_header(container)) ||
      !returns_sound(container, codec->id, true)) {
    const std::string other = sound_encoder_for(container);
    throw Error(MessageKind::output_unsuited, "the container does not take the sound",
                avcodec_get_name(codec->id), std::string("it is ") + container.long_name,
                other.empty() ? "use `audio` none" : "use `audio` " + other);
  }
  return *codec;
}

std::string sound_encoder_for(const AVOutputFormat& container) {
  for (const AVCodecID id :
       {container.audio_codec, AV_CODEC_ID_AAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS,
        AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_FLAC, AV_CODEC_ID_PCM_S16LE}) {
    const AVCodec* codec = id == AV_CODEC_ID_NONE ? nullptr : avcodec_find_encoder(id);
    if (codec && codec->type == AVMEDIA_TYPE_AUDIO && can_hold(container, id) &&
        returns_sound(container, id, true) && !(codec->capabilities & AV_CODEC_CAP_EXPERIMENTAL))
      return codec->name;
  }
  return {};
}

SoundConverter::SoundConverter(CodecContextPtr decoder, CodecContextPtr encoder,
                               AVRational time_base, const AVOutputFormat& container)
    : decoder_(std::move(decoder)),
      encoder_(std::move(encoder)),
      time_base_(time_base),
      holds_lead_in_(holds_lead_in(container)),
      begins_at_zero_(TimelessSound::is_of(container)),
      shape_(make_frame()),
      waiting_(av_audio_fifo_alloc(encoder_->sample_fmt, encoder_->ch_layout.nb_channels, 1)),
      packet_(make_packet()) {
  if (!waiting_) throw_out_of_memory("for sound");
  decoder_->opaque = this;  // identifies its errors
}

SoundConverter::~SoundConverter() = default;

std::unique_ptr<SoundConverter> SoundConverter::make(const AVStream& from, const AVCodec& encoder,
                                                     const AVOutputFormat& container) {
  CodecContextPtr decoder = open_sound_decoder(from);
  if (!decoder) return nullptr;
  const Taken taken = taken_by(encoder);
  const auto try_open = [&](const AVChannelLayout& layout, CodecContextPtr& context) {
    context.reset(avcodec_alloc_context3(&encoder));
    if (!context) throw_out_of_memory("for the encoder", encoder.name);
    context->sample_fmt = nearest_format(taken.formats, decoder->sample_fmt);
    context->sample_rate = nearest_rate(taken.rates, decoder->sample_rate);
    check_av(av_channel_layout_copy(&context->ch_layout, &layout), Fault::output,
             "cannot describe the sound for", encoder.name);
    context->time_base = {1, context->sample_rate};
    context->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    context->thread_count = 1;
    if (container.flags & AVFMT_GLOBALHEADER) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    return avcodec_open2(context.get(), &encoder, nullptr);
  };
  // Encoders may refuse layouts that they list, such as those with side speakers, and AAC writes
  // those in a way that few players understand.
  const AVChannelLayout same = nearest_layout(taken.layouts, decoder->ch_layout);
  AVChannelLayout usual;
  av_channel_layout_default(&usual, same.nb_channels);
  const bool prefers_usual = encoder.id == AV_CODEC_ID_AAC;
  CodecContextPtr context;
  if (try_open(prefers_usual ? usual : same, context) < 0)
    check_av(try_open(prefers_usual ? same : usual, context), Fault::output,
             "cannot open the encoder", encoder.name);
  return std::unique_ptr<SoundConverter>(
      new SoundConverter(std::move(decoder), std::move(context), from.time_base, container));
}

int SoundConverter::check(int code) const {
  return check_av(code, Fault::output, "cannot encode the sound with", encoder_->codec->name);
}

void SoundConverter::write(const AVPacket& packet, const Receive& receive) {
  decode(&packet, receive);
}

void SoundConverter::finish(const Receive& receive) {
  decode(nullptr, receive);
  convert(nullptr, receive);
  encode(true, receive);
  check(avcodec_send_frame(encoder_.get(), nullptr));
  receive_all(receive);
}

void SoundConverter::decode(const AVPacket* packet, const Receive& receive) {
  const auto understand = [&](int code) {
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return false;
    check_av(code, Fault::input, "cannot decode the sound", decoder_->codec->name);
    return true;
  };
  const bool taken = understand(avcodec_send_packet(decoder_.get(), packet));
  FramePtr frame = make_frame();
  while (taken && understand(avcodec_receive_frame(decoder_.get(), frame.get()))) {
    convert(frame.get(), receive);
    encode(false, receive);
    av_frame_unref(frame.get());
  }
}

// Sets the first time. A container without times for the encoder's lead-in loses as many samples at
// the beginning instead, so that all others keep their time.
void SoundConverter::begin(std::int64_t at) {
  if (begins_at_zero_ && at < longest_silence * encoder_->sample_rate)
    at = std::min<std::int64_t>(at, 0);
  overlap_ = holds_lead_in_ ? 0 : std::max<std::int64_t>(0, encoder_->initial_padding - at);
  at_ = at + overlap_;
}

// Adds silence, or notes samples to drop, where the frame does not follow the one before it.
void SoundConverter::keep_time(const AVFrame& frame, const Receive& receive) {
  if (frame.pts == AV_NOPTS_VALUE) {
    if (at_ == AV_NOPTS_VALUE) begin(0);
    return;
  }
  const std::int64_t now = av_rescale_q(frame.pts, time_base_, time_base());
  if (at_ == AV_NOPTS_VALUE) begin(now);
  const std::int64_t inside =
      resampler_ ? swr_get_delay(resampler_.get(), encoder_->sample_rate) : 0;
  std::int64_t gap = now - (at_ + av_audio_fifo_size(waiting_.get()) + inside) + overlap_;
  const int jitter = encoder_->sample_rate / 64;  // containers round times; inaudible
  if (std::abs(gap) <= jitter || std::abs(gap) > longest_silence * encoder_->sample_rate) return;
  const std::int64_t less = std::min(gap, overlap_);  // negative: more to drop
  overlap_ -= less;
  gap -= less;
  while (gap > 0) {
    FramePtr silence = samples(static_cast<int>(std::min<std::int64_t>(gap, 4096)));
    check(av_samples_set_silence(silence->extended_data, 0, silence->nb_samples,
                                 encoder_->ch_layout.nb_channels, encoder_->sample_fmt));
    gap -= silence->nb_samples;
    add(*silence, 0);
    encode(false, receive);
  }
}

// Converts a frame, or at the end the samples that are still inside the resampler.
void SoundConverter::convert(const AVFrame* frame, const Receive& receive) {
  const bool changed = frame && (!resampler_ || frame->format != shape_->format ||
                                 frame->sample_rate != shape_->sample_rate ||
                                 av_channel_layout_compare(&frame->ch_layout, &shape_->ch_layout));
  if (changed && resampler_) convert(nullptr, receive);
  if (frame) keep_time(*frame, receive);
  if (changed) {
    resampler_.reset();
    shape_->format = frame->format;
    shape_->sample_rate = frame->sample_rate;
    check(av_channel_layout_copy(&shape_->ch_layout, &frame->ch_layout));
    SwrContext* made = nullptr;
    const int described = swr_alloc_set_opts2(&made, &encoder_->ch_layout, encoder_->sample_fmt,
                                              encoder_->sample_rate, &shape_->ch_layout,
                                              static_cast<AVSampleFormat>(shape_->format),
                                              shape_->sample_rate, 0, nullptr);
    std::unique_ptr<SwrContext, Closer> resampler(made);
    // A damaged frame may claim a format that nothing converts.
    for (const int code : {described, made ? swr_init(made) : 0})
      check_av(code, Fault::input, "cannot convert the sound", decoder_->codec->name);
    resampler_ = std::move(resampler);
  }
  if (!resampler_) return;
  const int most = check(swr_get_out_samples(resampler_.get(), frame ? frame->nb_samples : 0));
  if (most == 0) return;
  FramePtr out = samples(most);
  out->nb_samples =
      check(swr_convert(resampler_.get(), out->extended_data, most,
                        frame ? const_cast<const std::uint8_t**>(frame->extended_data) : nullptr,
                        frame ? frame->nb_samples : 0));
  const auto dropped = static_cast<int>(std::min<std::int64_t>(overlap_, out->nb_samples));
  overlap_ -= dropped;
  add(*out, dropped);
}

FramePtr SoundConverter::samples(int count) const {
  FramePtr frame = make_frame();
  frame->format = encoder_->sample_fmt;
  frame->sample_rate = encoder_->sample_rate;
  frame->nb_samples = count;
  check(av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout));
  check(av_frame_get_buffer(frame.get(), 0));
  return frame;
}

void SoundConverter::add(AVFrame& frame, int skipped) {
  const int bytes = av_get_bytes_per_sample(encoder_->sample_fmt);
  const bool planar = av_sample_fmt_is_planar(encoder_->sample_fmt);
  const int channels = encoder_->ch_layout.nb_channels;
  std::vector<void*> planes;
  for (int i = 0; i < (planar ? channels : 1); ++i)
    planes.push_back(frame.extended_data[i] +
                     static_cast<std::ptrdiff_t>(skipped) * bytes * (planar ? 1 : channels));
  check(av_audio_fifo_write(waiting_.get(), planes.data(), frame.nb_samples - skipped));
}

// Encodes whole frames of the encoder's size; with `all` the rest too.
void SoundConverter::encode(bool all, const Receive& receive) {
  const int size = encoder_->frame_size > 0 ? encoder_->frame_size : 1024;
  for (int left; (left = av_audio_fifo_size(waiting_.get())) >= size || (all && left > 0);) {
    FramePtr frame = samples(std::min(left, size));
    check(av_audio_fifo_read(waiting_.get(), reinterpret_cast<void**>(frame->extended_data),
                             frame->nb_samples));
    frame->pts = at_;
    at_ += frame->nb_samples;
    check(avcodec_send_frame(encoder_.get(), frame.get()));
    receive_all(receive);
  }
}

void SoundConverter::receive_all(const Receive& receive) {
  for (;;) {
    const int code = avcodec_receive_packet(encoder_.get(), packet_.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check(code);
    receive(*packet_);
    av_packet_unref(packet_.get());
  }
}

}  // namespace vidconv
