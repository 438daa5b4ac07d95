#include "pipeline/encode/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/opt.h>
}

#include "kernels/base/names.h"
#include "pipeline/av/av_log.h"
#include "pipeline/av/log_lines.h"
#include "pipeline/encode/encoder_colour.h"
#include "pipeline/encode/encoder_format.h"
#include "pipeline/encode/encoder_rate.h"
#include "pipeline/encode/reconstructed_pictures.h"
#include "pipeline/platform/process_tables.h"
#include "pipeline/platform/thread_priority.h"

namespace vidconv {
namespace {

// Returns the options of this encoder and those of all encoders.
std::vector<std::string_view> option_names(const AVCodecContext& context) {
  std::vector<std::string_view> names;
  const auto add = [&](const void* object) {
    for (const AVOption* option = nullptr; (option = av_opt_next(object, option));)
      if (option->type != AV_OPT_TYPE_CONST && (option->flags & AV_OPT_FLAG_ENCODING_PARAM))
        names.emplace_back(option->name);
  };
  add(&context);
  if (context.codec->priv_class) add(context.priv_data);
  return names;
}

// x265 and others refuse to open with more threads.
int most_threads(const AVCodec& encoder) {
  return std::string_view(encoder.name) == "libx265" ? 16 : 64;
}

// Returns the option that limits an encoder's own threads, whatever libavcodec's count says; empty
// where there is none.
std::pair<std::string, std::string> thread_option(const AVCodec& encoder, int threads) {
  const std::string_view name = encoder.name;
  if (threads == 0) return {};
  if (name == "libx265") return {"x265-params", "pools=" + std::to_string(threads)};
  if (name == "libsvtav1") return {"svtav1-params", "lp=" + std::to_string(threads)};
  return {};
}

// Returns `plain`, or its yuvj name where the encoder knows no other.
AVPixelFormat named_full_range(const AVCodec& codec, AVPixelFormat plain) {
  const std::vector<AVPixelFormat> known = supported_formats(codec);
  if (known.empty() || std::ranges::find(known, plain) != known.end()) return plain;
  for (const AVPixelFormat id : known) {
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    if (id != plain && without_range(id, range) == plain) return id;
  }
  return plain;
}

// FFmpeg 9's FFV1 refuses slices of a picture that is one sample of chroma wide, and with 4:1
// chroma loses some at the end of lines and columns whose length is no multiple of 4.
bool has_no_slices(const AVCodecContext& c) {
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(c.pix_fmt);
  const auto is_cut = [](int size, int shift) { return shift == 2 && size % 4 != 0; };
  return LIBAVCODEC_VERSION_MAJOR > 61 &&
         (AV_CEIL_RSHIFT(c.width, d.log2_chroma_w) < 2 || is_cut(c.width, d.log2_chroma_w) ||
          is_cut(c.height, d.log2_chroma_h));
}

// Returns the reason that is logged before the line that says there are no frame threads.
std::string why_no_threads(const std::string& lines) {
  const std::size_t end = lines.rfind(log_lines::no_frame_threads);
  if (end == std::string::npos || end < 2) return {};
  return lines.substr(0, end - 2);
}

// DNxHD becomes DNxHR, which has no fields, unless somebody asks for the original profile, which
// exists for few sizes and rates.
bool is_dnxhr(const AVCodec& codec, const EncoderOptions& options) {
  return codec.id == AV_CODEC_ID_DNXHD && std::ranges::none_of(options.own, [](const auto& option) {
           return option.first == "profile" && (option.second == "dnxhd" || option.second == "0");
         });
}

}  // namespace

Encoder::Encoder(const EncoderChoice& choice, const VideoInfo& video, const EncoderOptions& options,
                 bool global_header, const Notify& notify, const Notify& lose)
    : codec_(*choice.codec),
      notify_(notify),
      lose_(lose),
      context_(avcodec_alloc_context3(&codec_)),
      description_(codec_.name),
      joins_frames_(choice.defaults.joins_frames),
      counts_frames_((choice.defaults.counts_frames || video.steady) && video.frame_rate.num > 0),
      times_(codec_, counts_frames_, joins_frames_),
      packet_(make_packet()),
      new_aspect_(video.sample_aspect, choice.container.empty() ? codec_.name : choice.container,
                  lose),
      aspect_beside_(says_aspect(choice.container, codec_.id)),
      hdr10_plus_(choice, options),
      pictures_have_moved_(video.hdr.pictures_have_moved) {
  if (!context_) throw_out_of_memory("for the encoder", codec_.name);
  AVCodecContext& c = *context_;
  c.width = video.width;
  c.height = video.height;
  choose_time_base(video);
  c.framerate = video.frame_rate;
  c.sample_aspect_ratio = video.sample_aspect;
  // FFmpeg's VC-2 encoder aborts the process on fields.
  c.field_order = codec_.id == AV_CODEC_ID_DIRAC ? AV_FIELD_PROGRESSIVE : video.field_order;
  c.thread_count = std::min(options.threads, most_threads(codec_));
  if (options.low_delay) c.thread_type = FF_THREAD_SLICE;  // threads share a picture
  if (global_header) c.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (!choice.change.empty()) vidconv::notify(lose, MessageKind::converted, choice.change);
  const bool interlaced = video.field_order > AV_FIELD_PROGRESSIVE;
  const bool whole = is_dnxhr(codec_, options);
  if (interlaced && (whole || !tells_fields(codec_, choice.container)))
    vidconv::notify(lose, MessageKind::not_held,
                    fmt::format("{} cannot say that the video is interlaced: players will take "
                                "its pictures for whole ones",
                                codec_.name));
  if (interlaced && !whole && codes_fields(codec_))
    c.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
  choose_format(choice, video, options, notify, lose);
  if (options.measure && !options.measure->measures().need_order()) ask_for_pictures(c);
  announce_dolby_vision(video.hdr);
  set_options(choice, options, video);
  const AvLines lines;
  try {
    const auto lock = ProcessTables::writing(codec_);
    const ThreadPriority scheduling(codec_);
    check(avcodec_open2(context_.get(), &codec_, nullptr), "cannot open the encoder");
  } catch (const Error& error) {
    refuse_options(error, choice, video, options);
    refuse_chip(lines.text().empty() ? error.why() : lines.text(), video);
    const std::string why = why_no_threads(lines.text());
    if (why.empty()) throw;
    throw Error(error.kind(), error.act(), error.value(), why, error.remedy());
  }
  if (!tells_order(choice) && c.has_b_frames > 0)
    vidconv::notify(lose, MessageKind::not_held,
                    fmt::format("{} does not say when pictures are shown that are decoded before "
                                "others: players show them in another order; `encoder_options` "
                                "bf=0 makes none",
                                choice.container));
  description_ += std::string(", ") + av_get_pix_fmt_name(coded_format());
  if (pictures_) description_ += " on the device";
  try {
    name_lost_metadata(video.hdr.dynamic);
    if (options.measure) start_measuring(*options.measure, video);
  } catch (...) {
    close();
    throw;
  }
}

Encoder::~Encoder() { close(); }

void Encoder::close() {
  if (std::string_view(codec_.name) == "libsvtav1") end_svt_av1();
  const auto lock = ProcessTables::writing(codec_);
  context_.reset();
}

// SVT-AV1 1.4 hangs where it is closed before the end of its frames, or ended without any.
void Encoder::end_svt_av1() {
  if (const FramePtr blank(frames_ == 0 ? av_frame_alloc() : nullptr); blank) {
    blank->width = context_->width;
    blank->height = context_->height;
    blank->format = context_->pix_fmt;
    if (av_frame_get_buffer(blank.get(), 0) < 0) return;
    for (const AVBufferRef* buffer : blank->buf)
      if (buffer) std::memset(buffer->data, 0, buffer->size);
    blank->pts = 0;
    avcodec_send_frame(context_.get(), blank.get());
  }
  if (!ended_) avcodec_send_frame(context_.get(), nullptr);
  while (avcodec_receive_packet(context_.get(), packet_.get()) >= 0) av_packet_unref(packet_.get());
}

void Encoder::choose_time_base(const VideoInfo& video) {
  context_->time_base = counts_frames_ ? av_inv_q(video.frame_rate) : video.time_base;
  // NVENC takes the numerator for a frame's ticks when it makes up dts.
  if (counts_frames_ && takes_cuda_frames(codec_))
    context_->time_base = {1, std::max(1, static_cast<int>(std::lround(av_q2d(video.frame_rate))))};
}

// Encoders check some options only when they are opened, and do not say which.
void Encoder::refuse_options(const Error& error, const EncoderChoice& choice,
                             const VideoInfo& video, EncoderOptions options) const {
  std::string given;
  if (!options.crf.empty()) given += " `crf` " + verbatim(options.crf);
  if (!options.bitrate.empty()) given += " `bitrate` " + verbatim(options.bitrate);
  if (!options.preset.empty()) given += " `preset` " + verbatim(options.preset);
  for (const auto& [key, value] : options.own)
    given += " `encoder_options` " + verbatim(key) + "=" + verbatim(value);
  if (given.empty() || error.kind() == MessageKind::memory) return;
  options.crf = options.bitrate = options.preset = "";
  options.own.clear();
  options.measure = nullptr;
  try {
    const Encoder without(choice, video, options, false, nullptr, nullptr);
  } catch (const Error&) {
    return;  // the options are not to blame
  }
  throw Error(MessageKind::encoder_option, std::string(codec_.name) + " cannot be opened with",
              Error::Value::naming(given.substr(1)), error.why(),
              "'ffmpeg -h encoder=" + std::string(codec_.name) + "' lists what it takes");
}

void Encoder::refuse_chip(const std::string& why, const VideoInfo& video) const {
  if (!is_hardware(codec_)) return;
  const AVCodec* other = usual_encoder(codec_.id, video);
  const bool usable = other && !is_hardware(*other);
  throw Error(Fault::output, "cannot open the encoder", codec_.name, why,
              usable ? "use `codec` " + std::string(other->name) + ", which needs no such chip"
                     : "choose another `codec`");
}

int Encoder::check(int code, const char* what) const {
  try {
    return check_av(code, Fault::output, what, codec_.name);
  } catch (const Error& error) {
    const std::string said = words_.errors();
    if (said.empty() || error.kind() == MessageKind::memory) throw;
    throw Error(error.kind(), error.act(), error.value(), said, error.remedy());
  }
}

void Encoder::pass_on_words() {
  const std::string said = words_are_told_ ? "" : words_.errors();
  if (said.empty()) return;
  words_are_told_ = true;
  notify(notify_, MessageKind::encoder_said,
         fmt::format("the library of {} has complained and gone on: {}", codec_.name, said));
}

void Encoder::choose_format(const EncoderChoice& choice, const VideoInfo& video,
                            const EncoderOptions& options, const Notify& notify,
                            const Notify& lose) {
  if (codec_.id == AV_CODEC_ID_GIF) return choose_palette(video, options, lose);
  AVCodecContext& c = *context_;
  if (options.device) {
    c.color_range = video.range;
    c.color_primaries = video.primaries;
    c.color_trc = video.transfer;
    c.colorspace = video.matrix;
    c.chroma_sample_location = video.chroma_location;
    c.pix_fmt = AV_PIX_FMT_CUDA;
    c.sw_pix_fmt = device_layout(codec_, *video.format);
    pictures_ = std::make_unique<NvencPictures>(*options.device, *video.format, c.sw_pix_fmt,
                                                video.width, video.height);
    c.hw_frames_ctx = av_buffer_ref(pictures_->surfaces());
    return;
  }
  AVColorRange asked_range = AVCOL_RANGE_UNSPECIFIED;
  const bool asked = !options.pixel_format.empty();
  const PixelFormat& from = *video.format;
  const PixelFormat& to = asked ? format_named(choice, video, options.pixel_format, asked_range)
                                : usual_format(choice, video, asks_for_no_loss(options));
  const CodedColours colours = coded_colours(choice, video, to, asked_range);
  c.pix_fmt = named_full_range(codec_, to.id);
  c.color_range = colours.range;
  c.colorspace = colours.matrix;
  c.color_primaries = colours.primaries;
  c.color_trc = colours.transfer;
  c.chroma_sample_location = colours.siting;
  const int depth = choice.defaults.depth;
  if (&to == &from && from.components[0].sample.depth > depth)
    vidconv::notify(lose, MessageKind::converted,
                    fmt::format("{} keeps {} bits of a sample of {}", codec_.name, depth, to.name));
  if (&to != &from && !same_samples(from, to))
    vidconv::notify(
        loses(from, to, depth) ? lose : notify, MessageKind::converted,
        fmt::format("{}{}{}",
                    asked ? fmt::format("`pixel_format` {}: {} is converted to {}",
                                        verbatim(options.pixel_format), from.name, to.name)
                          : fmt::format("{} {}: converted to {}", codec_.name,
                                        takes(choice, from) ? "is not given " + from.name
                                                            : "cannot encode " + from.name,
                                        to.name),
                    colours.assumed.empty() ? "" : " with ", colours.assumed));
  const std::string file =
      codec_.name + (choice.container.empty() ? "" : " in " + choice.container);
  if (!colours.converted.empty())
    vidconv::notify(notify, MessageKind::converted,
                    file + " cannot say all colours, converted: " + colours.converted);
  if (!colours.lost.empty())
    vidconv::notify(lose, MessageKind::not_held,
                    file + " cannot say, and players will not know: " + colours.lost);
  if (!choice.colours.alpha && av_pix_fmt_desc_get(to.id)->flags & AV_PIX_FMT_FLAG_ALPHA)
    vidconv::notify(lose, MessageKind::not_held,
                    file + " cannot hold what is transparent, and players will not find it");
  if (&to == &from && !colours.changes_samples) return;
  const bool to_rgb = to.components[0].kind == Component::Kind::colour;
  converter_.emplace(to, colours.range, to_rgb ? AVCOL_SPC_UNSPECIFIED : colours.matrix,
                     plain_memory);
}

// FFmpeg would use one fixed palette for all videos, of 8 reds, 8 greens and 4 blues.
void Encoder::choose_palette(const VideoInfo& video, const EncoderOptions& options,
                             const Notify& lose) {
  if (!options.pixel_format.empty() && options.pixel_format != "pal8")
    throw Error(Fault::usage, "`pixel_format`", options.pixel_format,
                "gif holds pal8 and nothing else", "leave it out");
  const PixelFormat& rgba = *find_format(AV_PIX_FMT_RGBA);
  context_->pix_fmt = AV_PIX_FMT_PAL8;
  context_->color_range = AVCOL_RANGE_JPEG;
  context_->colorspace = AVCOL_SPC_RGB;
  if (&rgba != video.format)
    converter_.emplace(rgba, AVCOL_RANGE_JPEG, AVCOL_SPC_UNSPECIFIED, plain_memory);
  palette_.emplace();
  vidconv::notify(lose, MessageKind::converted,
                  "gif holds 256 colours a picture: converted to palettes, one for each");
}

void Encoder::set_option(const std::string& key, const std::string& value,
                         const std::string& shown) {
  AVCodecContext& c = *context_;
  if (key == "global_quality") c.flags |= AV_CODEC_FLAG_QSCALE;  // few obey it without
  if (key == "qscale" || key == "q") {  // an option of FFmpeg's command line only
    char* end = nullptr;
    const double q = std::strtod(value.c_str(), &end);
    constexpr double most = 1e6;  // far beyond all scales, and no overflow
    if (value.empty() || *end != '\0' || !(q >= 0 && q <= most))  // rejects nan as well
      throw Error(MessageKind::encoder_option, "cannot set the encoder's option",
                  Error::Value::naming(shown),
                  fmt::format("it is not a number from 0 to {:.0f}", most));
    c.flags |= AV_CODEC_FLAG_QSCALE;
    c.global_quality = static_cast<int>(q * FF_QP2LAMBDA);
    return;
  }
  const int code = av_opt_set(&c, key.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
  if (code == AVERROR_OPTION_NOT_FOUND)
    throw Error(MessageKind::encoder_option, "cannot set the encoder's option",
                Error::Value::naming(shown),
                std::string(codec_.name) + " has no option '" + verbatim(key) + "'" +
                    did_you_mean(key, option_names(c)),
                "'ffmpeg -h encoder=" + std::string(codec_.name) + "' lists them");
  if (code < 0)
    throw_av(code, MessageKind::encoder_option, "cannot set the encoder's option",
             Error::Value::naming(shown));
}

void Encoder::set_options(const EncoderChoice& choice, const EncoderOptions& options,
                          const VideoInfo& video) {
  // Parameters are added to one option, which holds the whole list.
  std::map<std::string, std::string> lists{
      {"x264-params", ""}, {"x265-params", x265_params(video.hdr)}, {"svtav1-params", ""}};
  const bool has_bound = std::ranges::any_of(
      options.own, [](const auto& o) { return o.first == "maxrate" || o.first == "bufsize"; });
  if (takes_dolby_vision(video.hdr) && !has_bound) {
    std::string& x265 = lists["x265-params"];
    x265 += (x265.empty() ? "" : ":") + dolby_vision_rate();
  }
  const auto set = [&](const std::string& key, std::string value, const std::string& shown) {
    if (const auto list = lists.find(key); list != lists.end())
      value = list->second += (list->second.empty() ? "" : ":") + value;
    set_option(key, value, shown);
  };
  const std::vector<EncoderOption> all = encoder_options(choice, options, video);
  description_ = vidconv::describe(choice, all);
  if (const auto [key, value] = thread_option(codec_, options.threads); !key.empty()) {
    set(key, value, value);
    description_ += " " + value;
  }
  if (const std::string profile = usual_profile(codec_, video, context_->pix_fmt);
      !profile.empty()) {
    set("profile", profile, "profile");
    description_ += " profile=" + profile;
  }
  if (const std::string kind = usual_hap(codec_, video); !kind.empty()) {
    set("format", kind, "format");
    description_ += " format=" + kind;
  }
  // FFV1 has fields only from version 3 on.
  if (codec_.id == AV_CODEC_ID_FFV1 && video.field_order > AV_FIELD_PROGRESSIVE)
    set("level", "3", "level");
  if (codec_.id == AV_CODEC_ID_FFV1 && has_no_slices(*context_)) set("slices", "1", "slices");
  // libvpx refuses transparency for VP8 beside frames that are not shown.
  if (std::string_view(codec_.name) == "libvpx" && context_->pix_fmt == AV_PIX_FMT_YUVA420P)
    set("auto-alt-ref", "0", "auto-alt-ref");
  for (const EncoderOption& option : all) set(option.key, option.value, option.shown);
}

void Encoder::describe(AVCodecParameters& to) const {
  check_av(avcodec_parameters_from_context(&to, context_.get()), Fault::internal,
           "cannot describe the video");
  // MXF's muxer asks for the profile, which the encoder has chosen but does not report.
  std::int64_t profile = unknown_profile;
  if (codec_.id == AV_CODEC_ID_PRORES && to.profile == unknown_profile &&
      av_opt_get_int(context_->priv_data, "profile", 0, &profile) >= 0 && profile >= 0)
    to.profile = static_cast<int>(profile);
}

void Encoder::start_measuring(MeasureLog& log, const VideoInfo& video) {
  const auto free = [](AVCodecParameters* p) { avcodec_parameters_free(&p); };
  const std::unique_ptr<AVCodecParameters, decltype(free)> made(avcodec_parameters_alloc());
  if (!made) throw_out_of_memory("for the encoder", codec_.name);
  describe(*made);
  meter_ = std::make_unique<Meter>(log, *made, video.time_base, video.format->name, notify_);
}

void Encoder::write(Frame frame, const Receive& receive) {
  new_aspect_.check(frame);
  FramePtr av = pictures_    ? pictures_->take(frame)
                : converter_ ? converter_->convert(frame.av())
                             : frame.release();
  if (palette_) av = palette_->reduce(*av);
  if (meter_) meter_->expect(*av, av->pts);
  av->pts = times_.keep(counts_frames_ ? frames_ : av->pts, *av);
  ++frames_;
  name_captions(*av);
  name_profile(*av);
  name_lost_metadata(dynamic_hdr_of(*av));
  hdr10_plus_.keep(av->pts, *av);
  fill_in_dolby_vision(*av);
  forget_picture_type(*av);
  // Some encoders read colours from the frame.
  av->color_primaries = context_->color_primaries;
  av->color_trc = context_->color_trc;
  av->colorspace = context_->colorspace;
  av->color_range = context_->color_range;
  av->quality = context_->global_quality;  // many read it here, not in their own settings
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  if (without_range(context_->pix_fmt, range) != context_->pix_fmt) {
    av.reset(av_frame_clone(av.get()));  // others may use the frame under its plain name
    if (!av) throw_out_of_memory("for the encoder", codec_.name);
    av->format = context_->pix_fmt;
  }
  if (frames_ == 1) first_.emplace(*av, coded_format(), *context_, aspect_beside_);
  send(av.get());
  receive_all(receive);
  pass_on_words();
}

AVPixelFormat Encoder::coded_format() const {
  return pictures_ ? context_->sw_pix_fmt : context_->pix_fmt;
}

void Encoder::name_not_kept() {
  const CodecParametersPtr made(avcodec_parameters_alloc());
  if (!made) throw_out_of_memory("for the encoder", codec_.name);
  describe(*made);
  const std::string lost = first_->lost_in(*made, *packet_);
  first_.reset();
  if (!lost.empty())
    notify(lose_, MessageKind::not_held,
           fmt::format("{} takes {} and does not keep all of it: {}", codec_.name,
                       av_get_pix_fmt_name(coded_format()), lost));
}

void Encoder::finish(const Receive& receive) {
  ended_ = true;
  send(nullptr);
  receive_all(receive);
  if (meter_) meter_->finish();
  pass_on_words();
}

void Encoder::send(const AVFrame* frame) {
  const auto lock = ProcessTables::reading(codec_);
  check(avcodec_send_frame(context_.get(), frame), "cannot encode with");
}

void Encoder::receive_all(const Receive& receive) {
  for (;;) {
    auto lock = ProcessTables::reading(codec_);
    const int code = avcodec_receive_packet(context_.get(), packet_.get());
    lock = {};
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check(code, "cannot encode with");
    hdr10_plus_.restore(*packet_);
    times_.restore(*packet_);
    if (first_) name_not_kept();
    ++packets_;
    if (meter_) meter_->take(*packet_, made_picture(*context_));
    receive(*packet_);
    av_packet_unref(packet_.get());
  }
}

}  // namespace vidconv
