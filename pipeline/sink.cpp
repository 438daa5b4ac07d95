#include "pipeline/sink.h"

#include <unistd.h>

#include <algorithm>

#include "pipeline/av_log.h"
#include "pipeline/container.h"
#include "pipeline/encoder_rate.h"
#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

bool ends_with(const std::string& output, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings)
    if (output.ends_with(ending)) return true;
  return false;
}

constexpr SinkKind table[] = {
    {"null", "null:, frames are counted and dropped",
     [](const std::string& output, const SinkOptions&) { return output == "null:"; },
     open_null_sink, false},
    {"md5", "md5:, a digest per frame and one for all, on standard output",
     [](const std::string& output, const SinkOptions&) { return output == "md5:"; }, open_md5_sink,
     false},
    {"raw", "bare frames without gaps: --format raw, or a file named .yuv, .rgb, .gray or .raw",
     [](const std::string& output, const SinkOptions& options) {
       return options.format == "raw" ||
              (options.format.empty() && ends_with(output, {".yuv", ".rgb", ".gray", ".raw"}));
     },
     open_raw_sink, false},
    {"y4m", "YUV4MPEG2: '-', --format y4m, or a file named .y4m",
     [](const std::string& output, const SinkOptions& options) {
       return options.format == "y4m" ||
              (options.format.empty() && (output == "-" || output.ends_with(".y4m")));
     },
     open_y4m_sink, false},
    {"images", "frame%04d.png, a file for each frame; picture.png, a single one",
     [](const std::string& output, const SinkOptions& options) {
       return options.format == "image2" || (options.format.empty() && is_image_name(output));
     },
     open_image_sink, true},
    {"file", "a file in any container that FFmpeg can write",
     [](const std::string&, const SinkOptions&) { return true; }, open_file_sink, true},
};

void refuse_encoder_options(const SinkKind& kind, const SinkOptions& options) {
  const auto refuse = [&](const std::string& option) {
    throw Error(Fault::usage, "there is no encoder for", option,
                "the output is " + std::string(kind.name));
  };
  if (!options.codec.empty()) refuse("--codec " + options.codec);
  if (!options.crf.empty()) refuse("--crf " + options.crf);
  if (!options.bitrate.empty()) refuse("--bitrate " + options.bitrate);
  if (!options.pixel_format.empty()) refuse("--pix-fmt " + options.pixel_format);
  if (!options.preset.empty()) refuse("--preset " + options.preset);
  if (!options.encoder_options.empty()) refuse("--encoder-opt " + options.encoder_options[0].first);
}

// Formats that hold pictures only.
void name_left_out(const SinkKind& kind, const SinkOptions& options, const Source& source) {
  const AVFormatContext* input = source.container();
  if (!input || input->nb_streams < 2) return;
  notify(options.lose ? options.lose : options.notify, Message::left_out,
         std::string(kind.name) + " holds one video stream, left out: " +
             std::to_string(input->nb_streams - 1) + " other streams");
}

// HDR10+ and its like, which FFmpeg's encoders do not write into the stream; Dolby Vision's is a
// difference to pictures that were not filtered.
void name_dynamic_metadata(const SinkOptions& options, const Source& source) {
  for (const Source::Video& video : source.videos())
    if (!video.info.hdr.dynamic.empty())
      notify(options.lose ? options.lose : options.notify, Message::not_held,
             "the metadata of each picture is not kept: " + video.info.hdr.dynamic);
}

const SinkKind& kind_for(const std::string& output, const SinkOptions& options) {
  return *std::ranges::find_if(table,
                               [&](const SinkKind& kind) { return kind.accepts(output, options); });
}

}  // namespace

std::span<const SinkKind> sink_kinds() { return table; }

bool takes_device_frames(const std::string& output, const SinkOptions& options,
                         const Source& source) {
  const std::span<const std::pair<std::string, std::string>> given = options.encoder_options;
  if (!options.pixel_format.empty()) return false;  // converted in the host's memory
  // Another GPU may be asked for by name.
  if (std::ranges::find(given, "gpu", &std::pair<std::string, std::string>::first) != given.end())
    return false;
  return kind_for(output, options).open == open_file_sink &&
         file_takes_device_frames(output, options, source);
}

std::string encoder_for(const std::string& output, const SinkOptions& options,
                        const VideoInfo& video) {
  const SinkKind& kind = kind_for(output, options);
  if (!kind.encodes) return {};
  const EncoderChoice choice =
      kind.open == open_image_sink
          ? image_encoder(output, options, video)
          : choose_encoder(choose_container(output, options), options, video);
  return describe(choice, encoder_options(choice, options, video));
}

std::unique_ptr<Sink> open_sink(const std::string& output, const SinkOptions& options,
                                const Source& source) {
  capture_av_log();
  const SinkKind& kind = kind_for(output, options);
  if (!kind.encodes) refuse_encoder_options(kind, options);
  const bool wants_sound =
      !options.audio.empty() && options.audio != "none" && options.audio != "copy";
  if (kind.open != open_file_sink && wants_sound)
    throw Error(Fault::usage, "there is no sound for", "--audio " + options.audio,
                "the output is " + std::string(kind.name));
  if (kind.open != open_file_sink && !options.muxer_options.empty())
    throw Error(Fault::usage, "there is no muxer for",
                "--muxer-opt " + options.muxer_options[0].first,
                "the output is " + std::string(kind.name));
  if (source.videos().size() > 1 && kind.name != "file" && kind.name != "null")
    throw Error(Message::command_line, "--video", "all",
                std::string(kind.name) + " holds one video stream", "choose one with --video N");
  if (kind.name == "y4m" || kind.name == "raw") name_left_out(kind, options, source);
  if (kind.name != "null" && kind.name != "md5") name_dynamic_metadata(options, source);
  return kind.open(output, options, source);
}

PartialFile::Options file_options(const SinkOptions& options) {
  return {.overwrite = options.overwrite, .files = options.files};
}

ByteOutput::ByteOutput(const std::string& output, const SinkOptions& options) {
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
  if (file_)
    file_->commit();
  else
    writer_->sync();
}

}  // namespace vidconv
