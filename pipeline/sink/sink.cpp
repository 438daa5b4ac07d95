#include "pipeline/sink/sink.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "pipeline/av/container.h"
#include "pipeline/av/container_metadata.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/base/url.h"
#include "pipeline/encode/encoder_rate.h"
#include "pipeline/encode/shard_rules.h"
#include "pipeline/platform/process.h"
#include "pipeline/shards/shard_order.h"
#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

bool ends_with(const std::string& output, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings)
    if (output.ends_with(ending)) return true;
  return false;
}

constexpr SinkKind every_sink[] = {
    {.name = "null",
     .description = "null:, frames are counted and dropped",
     .accepts = [](const std::string& output, const SinkOptions&) { return output == "null:"; },
     .open = open_null_sink,
     .several_videos = true,
     .keeps_pictures = false},
    {.name = "md5",
     .description = "md5:, a digest per frame and one for all, on standard output",
     .accepts = [](const std::string& output, const SinkOptions&) { return output == "md5:"; },
     .open = open_md5_sink,
     .keeps_pictures = false},
    {.name = "raw",
     .description =
         "bare frames without gaps: `format` raw, or a file named .yuv, .rgb, .gray or .raw",
     .accepts =
         [](const std::string& output, const SinkOptions& options) {
           return options.format == "raw" ||
                  (options.format.empty() && ends_with(output, {".yuv", ".rgb", ".gray", ".raw"}));
         },
     .open = open_raw_sink},
    {.name = "y4m",
     .description = "YUV4MPEG2: '-', `format` y4m, or a file named .y4m",
     .accepts =
         [](const std::string& output, const SinkOptions& options) {
           return options.format == "y4m" ||
                  (options.format.empty() && (output == "-" || output.ends_with(".y4m")));
         },
     .open = open_y4m_sink},
    {.name = "images",
     .description = "frame%04d.png, a file for each frame; picture.png, a single one",
     .accepts =
         [](const std::string& output, const SinkOptions& options) {
           return options.format == "image2" || (options.format.empty() && is_image_name(output));
         },
     .choose = choose_for_images,
     .open = open_image_sink},
    {.name = "file",
     .description = "a file in any container that FFmpeg can write",
     .accepts = [](const std::string&, const SinkOptions&) { return true; },
     .choose = choose_for_file,
     .open = open_file_sink,
     .other_streams = true,
     .several_videos = true},
};

void refuse_encoder_options(const EncoderOptions& options, std::string_view kind) {
  const auto refuse = [&](const std::string& option) {
    throw Error(Fault::usage, "there is no encoder for", Error::Value::naming(option),
                "the output is " + std::string(kind));
  };
  if (!options.codec.empty()) refuse("`codec` " + verbatim(options.codec));
  if (!options.crf.empty()) refuse("`crf` " + verbatim(options.crf));
  if (!options.bitrate.empty()) refuse("`bitrate` " + verbatim(options.bitrate));
  if (!options.pixel_format.empty()) refuse("`pixel_format` " + verbatim(options.pixel_format));
  if (!options.preset.empty()) refuse("`preset` " + verbatim(options.preset));
  if (!options.own.empty()) refuse("`encoder_options` " + verbatim(options.own[0].first));
  if (options.shards) refuse(setting_of(*options.shards));
}

void refuse_muxer_options(const SinkOptions& options, std::string_view kind) {
  const std::string is = "the output is " + std::string(kind);
  if (!options.audio.empty() && options.audio != "none" && options.audio != "copy")
    throw Error(Fault::usage, "there is no sound for",
                Error::Value::naming("`audio` " + verbatim(options.audio)), is);
  if (!options.muxer_options.empty())
    throw Error(Fault::usage, "there is no muxer for",
                Error::Value::naming("`muxer_options` " + verbatim(options.muxer_options[0].first)),
                is);
}

void check_shards(const EncoderOptions& options, const SinkKind& kind,
                  std::span<const InputVideo> videos) {
  if (!options.shards) return;
  if (!kind.other_streams)
    throw Error(MessageKind::command_line, "there is nothing to join for",
                Error::Value::naming(setting_of(*options.shards)),
                "the output is " + std::string(kind.name), "leave it out");
  if (videos.size() > 1)
    throw Error(MessageKind::command_line, setting_of(*options.shards) + " cannot be beside",
                Error::Value::naming("`video` all"), "one video is cut into parts",
                "choose one with `video` N");
}

// Returns whether every encoder takes its video's frames from CUDA memory without conversion.
bool takes_device_frames(const OutputPlan& plan, std::span<const InputVideo> videos) {
  const EncoderOptions& options = plan.options.encoder;
  if (!plan.kind->other_streams) return false;
  if (!options.pixel_format.empty()) return false;  // converted in host memory
  // Options may name another GPU.
  if (std::ranges::any_of(options.own, [](const auto& o) { return o.first == "gpu"; }))
    return false;
  for (std::size_t i = 0; i < videos.size(); ++i)
    if (device_layout(*plan.encoders[i].codec, *videos[i].info.format) == AV_PIX_FMT_NONE)
      return false;
  return true;
}

// Reports the other streams, for formats that hold pictures only.
void name_left_out(const OutputPlan& plan, const InputInfo& info) {
  const AVFormatContext* input = info.container.get();
  if (!input || input->nb_streams < 2) return;
  notify(plan.options.loss(), MessageKind::left_out,
         std::string(plan.kind->name) + " holds one video stream, left out: " +
             std::to_string(input->nb_streams - 1) + " other streams");
}

// Reports the file's metadata, where only pictures are kept.
void name_lost_words(const OutputPlan& plan, const InputInfo& info) {
  const AVFormatContext* input = info.container.get();
  if (!input) return;
  std::map<int, int> videos;
  for (const InputVideo& video : info.videos) videos[video.stream] = 0;
  const std::string lost = words_without_place(*input, videos, nullptr);
  if (!lost.empty())
    notify(plan.options.loss(), MessageKind::not_held,
           std::string(plan.kind->name) + " cannot hold: " + lost);
}

void name_orientation(const OutputPlan& plan, const VideoInfo& video) {
  if (!video.shown.is_upright())
    notify(plan.options.loss(), MessageKind::not_held,
           std::string(plan.kind->name) + " cannot hold how the video is turned: it will be seen " +
               words_without(video.shown));
}

void name_fields(const OutputPlan& plan, const InputInfo& input) {
  for (const InputVideo& video : input.videos)
    if (video.info.of_fields)
      notify(plan.options.loss(), MessageKind::not_held,
             "each picture of the input is one field of an interlaced video (H.265, D.3.3), and is "
             "filtered alone: the output does not say that they are fields");
}

// Reports per-picture metadata for bare frames; encoders report themselves what they lose.
void name_dynamic_metadata(const OutputPlan& plan, const InputInfo& input) {
  for (const InputVideo& video : input.videos)
    if (const DynamicHdr& has = video.info.hdr.dynamic; !has.empty())
      notify(plan.options.loss(), MessageKind::not_held,
             fmt::format("{} cannot hold the metadata of each picture: {}", plan.kind->name,
                         fmt::join(has, ", ")));
}

// Reports what bare frames cannot say of colours, where players would take others.
void name_colours(const OutputPlan& plan, const InputInfo& input) {
  for (const InputVideo& video : input.videos) {
    const VideoInfo& info = video.info;
    const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(info.format->id);
    const bool rgb = format.flags & AV_PIX_FMT_FLAG_RGB;
    const AVColorSpace matrix = known_matrix(info.matrix, info.height);
    const bool says_range = plan.kind->name == "y4m" || is_full_range(info.format->id, {});
    std::vector<std::string> lost;
    if (!rgb && format.nb_components > 2 && !same_matrix(matrix, usual_matrix(info.height)))
      lost.push_back(fmt::format("matrix {}", av_color_space_name(matrix)));
    if (!is_usual(info.primaries, info.height))
      lost.push_back(fmt::format("primaries {}", av_color_primaries_name(info.primaries)));
    if (!is_usual(info.transfer))
      lost.push_back(fmt::format("transfer {}", av_color_transfer_name(info.transfer)));
    if (!rgb && info.range == AVCOL_RANGE_JPEG && !says_range) lost.emplace_back("full range");
    if (!lost.empty())
      notify(plan.options.loss(), MessageKind::not_held,
             fmt::format("{} cannot say, and players will not know: {}", plan.kind->name,
                         fmt::join(lost, ", ")));
  }
}

// FFmpeg 7.1's PNG encoder is the first that writes the mastering display and the light level.
constexpr bool png_says_light = LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 0);

// Reports what is said of the whole video beside its pictures.
void name_lost_side_data(const OutputPlan& plan, const InputInfo& input) {
  const AVFormatContext* from = input.container.get();
  if (!from) return;
  const bool png =
      png_says_light && !plan.encoders.empty() && plan.encoders[0].codec->id == AV_CODEC_ID_PNG;
  std::set<std::string> lost;
  const auto add = [&](AVPacketSideDataType type) { lost.insert(av_packet_side_data_name(type)); };
  for (const InputVideo& video : input.videos) {
    for (const AVPacketSideDataType type : picture_side_data(*from->streams[video.stream])) {
      const bool light =
          type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
      if (type != AV_PKT_DATA_DISPLAYMATRIX && !light) add(type);
    }
    if (video.info.hdr.mastering && !png) add(AV_PKT_DATA_MASTERING_DISPLAY_METADATA);
    if (video.info.hdr.light && !png) add(AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
  }
  if (!lost.empty())
    notify(plan.options.loss(), MessageKind::not_held,
           fmt::format("{} cannot hold of the video: {}", plan.kind->name, fmt::join(lost, ", ")));
}

void name_manifest(const OutputPlan& plan, const InputInfo& input) {
  if (input.has_manifest)
    notify(plan.options.loss(), MessageKind::not_held,
           "the input has a manifest of where it comes from (C2PA), which is signed for its own "
           "bytes: it is not carried");
}

}  // namespace

std::span<const SinkKind> sink_kinds() { return every_sink; }

void check_address(const std::string& output, const std::string& format) {
  if (!is_url(output)) return;
  const std::string_view scheme = scheme_of(output);
  if (!takes_output(scheme))
    throw Error(MessageKind::output_unsuited, "cannot write to", redacted(output),
                fmt::format("a stream cannot be sent by {}", scheme),
                "these can: " + output_schemes());
  if (format.empty())
    throw Error(MessageKind::command_line, "there is no format for", redacted(output),
                "an address does not say what is sent there",
                scheme.starts_with("rtmp") ? "add `format` flv" : "add `format` mpegts");
  if (format == "image2")
    throw Error(MessageKind::command_line, "`format`", format, "pictures are files",
                "name a file such as frame%04d.png");
}

bool keeps_orientation(const std::string& name, const SinkOptions& options) {
  check_address(name, options.format);
  const std::string output = local_path(name);
  const SinkKind& kind = *std::ranges::find_if(
      every_sink, [&](const SinkKind& row) { return row.accepts(output, options); });
  if (!kind.keeps_pictures) return true;
  return kind.other_streams &&
         can_carry(choose_container(output, options.format), AV_PKT_DATA_DISPLAYMATRIX);
}

OutputPlan plan_output(const std::string& name, const SinkOptions& options,
                       std::span<const InputVideo> videos) {
  check_address(name, options.format);
  const std::string output = local_path(name);  // "file:out.mkv"
  // This is reported before the missing ending of its name is.
  if (std::error_code error; std::filesystem::is_directory(output, error))
    throw Error(Fault::output, "cannot write the output", output, "it is a directory");
  const SinkKind& kind = *std::ranges::find_if(
      every_sink, [&](const SinkKind& row) { return row.accepts(output, options); });
  if (!kind.choose) refuse_encoder_options(options.encoder, kind.name);
  if (!kind.other_streams) refuse_muxer_options(options, kind.name);
  if (videos.size() > 1 && !kind.several_videos)
    throw Error(MessageKind::command_line, "`video`", "all",
                std::string(kind.name) + " holds one video stream", "choose one with `video` N");
  check_shards(options.encoder, kind, videos);
  OutputPlan plan{.output = output, .options = options, .kind = &kind, .encoders = {}};
  if (kind.choose) kind.choose(plan, videos);
  if (std::optional<ShardOptions>& shards = plan.options.encoder.shards) {
    check_shards(plan.encoders[0], plan.options.encoder);
    shards = settled(*shards, videos[0].info, options.notify);
    shards->interrupted = options.interrupted;
    if (shards->in_turns)
      plan.order = shards->order = std::make_shared<ShardOrder>(*shards, videos[0].info);
  }
  plan.takes_device_frames = takes_device_frames(plan, videos);
  return plan;
}

std::string describe_encoder(const OutputPlan& plan, std::size_t video, const VideoInfo& info) {
  if (plan.encoders.empty()) return {};
  const EncoderChoice& choice = plan.encoders.at(video);
  return describe(choice, encoder_options(choice, plan.options.encoder, info));
}

std::unique_ptr<Sink> open_sink(const OutputPlan& plan, const InputInfo& input) {
  capture_av_log();
  const SinkKind& kind = *plan.kind;
  if (kind.keeps_pictures && !kind.choose) name_left_out(plan, input);
  if (kind.keeps_pictures && !kind.other_streams) name_lost_words(plan, input);
  if (kind.keeps_pictures && !kind.other_streams) name_lost_side_data(plan, input);
  if (kind.keeps_pictures && !kind.choose) name_dynamic_metadata(plan, input);
  if (kind.keeps_pictures && !kind.choose) name_colours(plan, input);
  if (kind.keeps_pictures) name_fields(plan, input);
  if (kind.keeps_pictures) name_manifest(plan, input);
  if (kind.keeps_pictures && !kind.other_streams) name_orientation(plan, input.videos.at(0).info);
  return kind.open(plan, input);
}

std::unique_ptr<Sink> open_sink(const std::string& output, const SinkOptions& options,
                                const InputInfo& input) {
  return open_sink(plan_output(output, options, input.videos), input);
}

PartialFile::Options file_options(const SinkOptions& options) {
  return {.overwrite = options.overwrite,
          .files = options.files,
          .interrupted = options.interrupted,
          .before_name = options.before_name};
}

void refuse_loss(MessageKind kind, const std::string& loss) {
  if (kind == MessageKind::damaged)
    throw Error(kind, "the input is damaged", "", loss, "without `strict` the rest is kept");
  if (kind == MessageKind::device_failed)
    throw Error(MessageKind::device, "a device failed", "", loss,
                "without `strict` the run goes on without it");
  if (kind == MessageKind::all_encoded)
    throw Error(MessageKind::strict, "nothing is copied", "", loss,
                "without `strict` all is encoded");
  throw Error(MessageKind::strict, "the output cannot hold it all", "", loss,
              "without `strict` the rest is kept");
}

void check_wanted(const std::atomic<bool>* abandoned) {
  if (abandoned && *abandoned)
    throw Error(MessageKind::interrupted, "the output was given up", "", "");
}

ByteOutput::ByteOutput(const std::string& output, const SinkOptions& options)
    : abandoned_(options.abandoned) {
  if (is_url(output)) {
    // Receivers expect whole packets of a transport stream.
    constexpr int transport_packets = 7 * 188;
    const bool transport = options.format == "mpegts" || options.format == "rtp_mpegts";
    writer_.emplace(std::make_unique<AddressWriter>(
        output, AddressOptions{
                    .insecure = options.insecure,
                    .packet_bytes = transport && scheme_of(output) == "udp" ? transport_packets : 0,
                    .interrupted = options.interrupted}));
    return;
  }
  if (output != "-") {
    file_.emplace(output, file_options(options));
    writer_.emplace(file_->fd(), output);
    writer_->heed(options.interrupted);
    return;
  }
  if (isatty(options.stdout_fd))
    throw Error(Fault::output, "cannot write video to", "-", "standard output is a terminal",
                "name a file or a pipe");
  writer_.emplace(options.stdout_fd, "standard output");
  writer_->heed(options.interrupted);
}

void ByteOutput::finish() {
  check_wanted(abandoned_);
  if (file_)
    file_->commit();
  else
    writer_->sync();
}

void BareSink::name_beside(const Frame& frame) {
  const auto name = [&](AVFrameSideDataType type, bool& is_told, const char* what) {
    if (is_told || !av_frame_get_side_data(&frame.av(), type)) return;
    is_told = true;
    notify(lose_, MessageKind::not_held, fmt::format("{} cannot hold {}", kind_, what));
  };
  name(AV_FRAME_DATA_A53_CC, captions_are_told_,
       "the captions that are in the pictures (ATSC A/53)");
  name(AV_FRAME_DATA_ICC_PROFILE, profile_is_told_, "the ICC profile of the pictures");
}

}  // namespace vidconv
