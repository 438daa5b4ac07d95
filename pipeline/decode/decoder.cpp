#include "pipeline/decode/decoder.h"

#include <algorithm>
#include <cinttypes>
#include <new>
#include <string_view>
#include <utility>

#include "pipeline/av/log_lines.h"
#include "pipeline/platform/process.h"

namespace vidconv {
namespace {

[[noreturn]] void throw_encrypted(const char* name) {
  throw Error(Fault::input, "cannot decode", name, "it is encrypted, and there is no key for it",
              "decrypt it first");
}

// Names the codec, or the container's tag if this FFmpeg knows no codec of that name.
[[noreturn]] void throw_no_decoder(const AVCodecParameters& parameters) {
  std::string name = avcodec_get_name(parameters.codec_id);
  if (parameters.codec_id == AV_CODEC_ID_NONE) {
    char tag[AV_FOURCC_MAX_STRING_SIZE];
    av_fourcc_make_string(tag, parameters.codec_tag);
    name = tag;
    if (name == "vvc1" || name == "vvi1") name = "vvc";
  }
  throw Error(Fault::input, "cannot decode", name,
              name == "vvc" ? "this FFmpeg has no decoder for H.266 (VVC): it came with version 7.0"
                            : "this FFmpeg has no decoder for it");
}

const AVCodec* decoder_for(const AVStream& stream, bool nvdec, const Notify& to) {
  const AVCodecID id = stream.codecpar->codec_id;
  if (nvdec) return find_nvdec_codec(id);
  if (has_alpha_beside(stream)) {
    if (const AVCodec* codec =
            avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9"))
      return codec;
    notify(to, MessageKind::not_held,
           "the transparency of the video is lost: this FFmpeg has no libvpx to decode it");
  }
  return avcodec_find_decoder(id);
}

// FFmpeg 7 and later give each picture the profile of its track, which outputs take from the track.
bool has_profile_of_track(const AVCodecContext& context) {
  return std::any_of(
      context.coded_side_data, context.coded_side_data + context.nb_coded_side_data,
      [](const AVPacketSideData& data) { return data.type == AV_PKT_DATA_ICC_PROFILE; });
}

// Returns whether libavcodec's decoder makes wrong pictures now and then with one for each thread:
// that of the VP3 family does, from FFmpeg 5.1 to 7.1 at least.
bool frame_threads_err(AVCodecID codec) {
  return codec == AV_CODEC_ID_THEORA || codec == AV_CODEC_ID_VP3 || codec == AV_CODEC_ID_VP4;
}

}  // namespace

bool has_alpha_beside(const AVStream& stream) {
  const AVCodecID id = stream.codecpar->codec_id;
  const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
  return (id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9) && mode &&
         std::string_view(mode->value) == "1";
}

Decoder::Decoder(const AVStream& stream, const DecoderOptions& options)
    : width_(stream.codecpar->width),
      height_(stream.codecpar->height),
      max_pixels_(options.max_pixels),
      memory_(options.memory),
      notify_(options.notify),
      pool_(options.memory),
      errors_(this) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const char* name = avcodec_get_name(parameters.codec_id);
  if (av_dict_get(stream.metadata, "enc_key_id", nullptr, 0)) throw_encrypted(name);
  const AVCodec* codec = decoder_for(stream, options.nvdec != nullptr, options.notify);
  if (!codec) throw_no_decoder(parameters);
  context_.reset(avcodec_alloc_context3(codec));
  if (!context_) throw_out_of_memory("for the decoder", name);
  const auto check = [&](int code) {
    if (code == AVERROR(ENOMEM)) throw_out_of_memory("for the decoder", name);
    check_av(code, Fault::input, "cannot decode", name);
  };
  check(avcodec_parameters_to_context(context_.get(), &parameters));
  context_->pkt_timebase = stream.time_base;
  context_->thread_count = options.threads;
  context_->max_pixels = decoder_limit(options.max_pixels);
  // Threads share a picture, instead of having one each.
  if (options.low_delay || frame_threads_err(parameters.codec_id) ||
      is_huge(static_cast<AVPixelFormat>(parameters.format), parameters.width, parameters.height))
    context_->thread_type = FF_THREAD_SLICE;
  // Pictures with errors are shown in their time and counted, instead of leaving gaps.
  context_->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
  context_->opaque = this;
  context_->get_buffer2 = get_buffer;
  if (options.nvdec) {
    pictures_ = std::make_unique<NvdecPictures>(options.nvdec);
    context_->hw_device_ctx = av_buffer_ref(pictures_->device());
    context_->get_format = choose_format;
    context_->thread_count = 1;  // more threads would only parse
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
    // Gives out the decoder's own surfaces without a copy; they are given back at once.
    context_->hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
#endif
  }
  check(avcodec_open2(context_.get(), codec, nullptr));
}

Decoder::~Decoder() = default;

Decoder::Result Decoder::judge(int code) {
  if (pictures_ && changes()) refuse("the picture changes its size");
  if (refused_) return Result::refused;
  if (code >= 0) return Result::done;
  if (code == AVERROR(EAGAIN)) return Result::again;
  if (code == AVERROR_EOF) return Result::end;
  if (code == AVERROR(ENOMEM)) throw_out_of_memory("for the decoder", context_->codec->name);
  return Result::damaged;
}

// Reports a refusal as FFmpeg would.
bool Decoder::refuses(int width, int height) const {
  if (!exceeds(width, height, max_pixels_)) return false;
  av_log(context_.get(), AV_LOG_ERROR, "%s%dx%d%s%" PRId64 "\n", log_lines::refused_size.data(),
         width, height, log_lines::beyond_limit.data(), max_pixels_);
  return true;
}

// Returns whether the device's pictures differ in size from the stream's header: they could not be
// scaled there, and some of libavcodec's decoders go on as if nothing had changed.
bool Decoder::changes() const {
  return width_ > 0 && (context_->width != width_ || context_->height != height_);
}

void Decoder::refuse(const char* why) {
  const std::lock_guard lock(mutex_);
  if (!refused_) refusal_ = why;
  refused_ = true;
}

Decoder::Result Decoder::send(const AVPacket* packet) {
  if (packet && av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr))
    throw_encrypted(context_->codec->name);
  const AvErrors::Here listen(errors_);
  return judge(avcodec_send_packet(context_.get(), packet));
}

Decoder::Result Decoder::receive(FramePtr& frame) {
  const AvErrors::Here listen(errors_);
  if (!frame) frame = make_frame();
  const Result result = judge(avcodec_receive_frame(context_.get(), frame.get()));
  if (result != Result::done) return result;
  if (refuses(frame->width, frame->height)) {  // some codecs have memory of their own
    av_frame_unref(frame.get());
    return Result::damaged;
  }
  forget_unknown_colours(*frame);
  if (has_profile_of_track(*context_))
    av_frame_remove_side_data(frame.get(), AV_FRAME_DATA_ICC_PROFILE);
  // Frame threads set these while the picture is on its way, so chance decides whether they are
  // seen. AvErrors hears of the errors with any number of threads.
  if (av_log_is_captured() && (context_->codec->capabilities & AV_CODEC_CAP_FRAME_THREADS))
    frame->decode_error_flags = 0;
  frame = pictures_ ? pictures_->take(std::move(frame), context_->sw_pix_fmt)
                    : normalise(std::move(frame));
  return result;
}

std::string Decoder::first_error() const {
  {
    const std::lock_guard lock(mutex_);
    if (!refusal_.empty()) return refusal_;
  }
  std::string line = errors_.first();
  if (line.find(log_lines::beyond_limit) != line.npos)
    line = line.substr(0, line.find(',')) + "; `max_pixels` N lets larger ones in";
  return line;
}

void Decoder::restart() { avcodec_flush_buffers(context_.get()); }

// Called when the stream's headers are known, and again if the device could not be set up or they
// change: NVDEC then calls what follows damaged, or leaves it out.
AVPixelFormat Decoder::choose_format(AVCodecContext* context,
                                     const AVPixelFormat* offered) noexcept {
  Decoder& self = *static_cast<Decoder*>(context->opaque);
  const Sequence now{context->coded_width, context->coded_height, context->sw_pix_fmt};
  const bool changes = self.sequence_ && *self.sequence_ != now;
  self.sequence_ = now;
  for (const AVPixelFormat* p = offered; *p != AV_PIX_FMT_NONE; ++p)
    if (!changes && *p == AV_PIX_FMT_CUDA && NvdecPictures::can_take(context->sw_pix_fmt))
      return *p;
  self.refuse(changes ? "its headers change" : "");
  return AV_PIX_FMT_NONE;
}

std::size_t Decoder::memory() const {
  const std::lock_guard lock(mutex_);
  return pool_.bytes() + (converter_ ? converter_->memory() : 0);
}

// Called by the codec, on any of its threads.
int Decoder::get_buffer(AVCodecContext* context, AVFrame* frame, int flags) noexcept {
  try {
    Decoder& self = *static_cast<Decoder*>(context->opaque);
    if (self.refuses(context->width, context->height)) return AVERROR(EINVAL);
    if (frame->format == AV_PIX_FMT_CUDA) return avcodec_default_get_buffer2(context, frame, flags);
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    const PixelFormat* format =
        find_format(without_range(static_cast<AVPixelFormat>(frame->format), range));
    if (!format || !(context->codec->capabilities & AV_CODEC_CAP_DR1))
      return avcodec_default_get_buffer2(context, frame, flags);
    const auto pool = self.pool_.of(
        decoder_layout(*format, frame->width, frame->height, self.memory_.rows, *context));
    return pool->fill(*frame) ? 0 : AVERROR(ENOMEM);
  } catch (const Error& error) {
    return error.kind() == MessageKind::too_large ? AVERROR(EINVAL) : AVERROR(ENOMEM);
  } catch (...) {
    return AVERROR(ENOMEM);
  }
}

FramePtr Decoder::normalise(FramePtr frame) {
  // VP8 has no other matrix (RFC 6386, 9.2); libvpx's decoder does not say so.
  if (context_->codec_id == AV_CODEC_ID_VP8 && frame->colorspace == AVCOL_SPC_UNSPECIFIED)
    frame->colorspace = AVCOL_SPC_BT470BG;
  const auto id = without_range(static_cast<AVPixelFormat>(frame->format), frame->color_range);
  const PixelFormat* format = find_format(id);
  const std::lock_guard lock(mutex_);
  const bool any_memory = memory_.allocate == plain_memory.allocate;
  if (format && frame->buf[0] && !frame->buf[1] && (any_memory || pool_.owns(*frame))) {
    frame->format = id;
    return frame;
  }
  if (!converter_) {
    const PixelFormat& to = format ? *format : nearest_format(id);
    if (!format)
      notify(notify_, MessageKind::converted,
             "the input's pixel format " + std::string(av_get_pix_fmt_name(id)) +
                 " is not filtered as it is: converted to " + to.name);
    converter_.emplace(to, AVCOL_RANGE_UNSPECIFIED, AVCOL_SPC_UNSPECIFIED, memory_);
  }
  return converter_->convert(*frame);
}

}  // namespace vidconv
