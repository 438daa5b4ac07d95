#include "pipeline/source/source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/av/container.h"
#include "pipeline/av/devices.h"
#include "pipeline/base/url.h"
#include "pipeline/demux/stream_video.h"
#include "pipeline/platform/process.h"
#include "pipeline/source/source_kinds.h"

namespace vidconv {
namespace {

constexpr SourceKind every_source[] = {
    {"pattern", "pattern:WxH[:PIXFMT][@FPS][#FRAMES], a moving test picture",
     [](const std::string& input, const SourceOptions&) { return input.starts_with("pattern:"); },
     open_pattern_source},
    {"raw", "bare frames from a file or '-', described by WxH:PIXFMT[@FPS]",
     [](const std::string&, const SourceOptions& options) { return !options.raw.empty(); },
     open_raw_source},
    {"pipe", "'-': y4m, or any container that can be read from a pipe",
     [](const std::string& input, const SourceOptions&) { return input == "-"; }, open_pipe_source},
    {"device", "v4l2:/dev/video0, a camera; any device of FFmpeg's where `input_format` names it",
     [](const std::string& input, const SourceOptions& options) {
       return is_device(input, options.format);
     },
     open_device_source},
    {"file", "a file or URL that FFmpeg can read",
     [](const std::string&, const SourceOptions&) { return true; }, open_file_source},
};

[[noreturn]] void refuse_start(const std::string& input, double start) {
  throw Error(
      MessageKind::command_line, "cannot set `start` to", fmt::format("{:g} s", start),
      fmt::format("'{}' is live: what has passed cannot be asked for", verbatim(redacted(input))),
      "leave it out, or limit it by `duration`");
}

// Throws for an input that waits for its reader: it is never late.
void refuse_stored(const std::string& input, const SourceOptions& options) {
  struct stat status {};
  const bool known = input == "-" ? fstat(options.stdin_fd, &status) == 0
                                  : !is_url(input) && stat(local_path(input).c_str(), &status) == 0;
  const bool stored = input.starts_with("pattern:") || (known && S_ISREG(status.st_mode)) ||
                      (!known && !is_url(input) && is_numbered(input));
  if (stored)
    throw Error(MessageKind::command_line, "there is nothing to be late for",
                Error::Value::naming("`latency`"),
                fmt::format("'{}' waits for its reader", verbatim(input)),
                "leave it out; it is for cameras, streams and pipes");
}

// Returns whether our own reader of y4m takes the input.
bool is_y4m(ByteReader& reader, const SourceOptions& options) {
  return (options.format.empty() || options.format == "yuv4mpegpipe") &&
         reader.peek(y4m_magic.size()) == y4m_magic;
}

// Opens a stream of bytes that says itself what it is.
std::unique_ptr<Source> open_stream(std::unique_ptr<ByteReader> reader,
                                    const SourceOptions& options) {
  if (is_y4m(*reader, options)) return open_y4m(std::move(reader), options);
  if (reader->peek(1).empty())
    throw Error(Fault::input, "cannot read the input", reader->name(),
                reader->stopped() ? "it was interrupted" : "it is empty");
  const std::string name = reader->name();
  return open_container(name, std::move(reader), options);
}

}  // namespace

std::span<const SourceKind> source_kinds() { return every_source; }

std::unique_ptr<Source> open_source(const std::string& input, const SourceOptions& asked) {
  capture_av_log();
  SourceOptions options = asked;
  if (is_live(input, options)) {
    if (options.start) refuse_start(input, *options.start);
  } else if (options.low_delay) {
    refuse_stored(input, options);
  }
  if (!options.video) {
    SourceOptions first = options;
    first.video = 1;
    auto source = open_source(input, first);
    const AVFormatContext* container = source->container().get();
    if (!container || video_streams(*container).size() < 2) return source;
    if (is_live(input, options))
      throw Error(MessageKind::command_line, "`video`", "all",
                  "a live input can be read once, and has several", "choose one with `video` N");
    return open_videos(std::move(source), input, first);
  }
  for (const SourceKind& kind : every_source) {
    if (!kind.accepts(input, options)) continue;
    if (!options.files) return kind.open(input, options);
    options.files->reads("the input", input);
    if (input == "-") options.files->reads("the input", options.stdin_fd);
    const RunFiles::OpenFiles before = RunFiles::open_now();
    auto source = kind.open(input, options);
    options.files->reads_what_was_opened("the input", before);
    return source;
  }
  throw Error(Fault::internal, "no source accepts", input, "");
}

void refuse_damage(const Damage& damage, const std::string& name) {
  if (!damage.any()) return;
  const std::string why = !damage.truncated.empty()     ? damage.truncated
                          : !damage.first_error.empty() ? damage.first_error
                                                        : "some of it cannot be decoded";
  throw Error(Fault::damaged, "the input is damaged", name, why,
              "without `strict` the rest of it is kept");
}

std::unique_ptr<ByteReader> read_stdin(const SourceOptions& options) {
  if (isatty(options.stdin_fd))
    throw Error(Fault::input, "cannot read video from", "-", "standard input is a terminal",
                "pipe something into it");
  auto reader =
      std::make_unique<ByteReader>(options.stdin_fd, false, "standard input", options.interrupted);
  reader->set_timeout(options.timeout);
  return reader;
}

std::unique_ptr<ByteReader> read_file(const std::string& input, const SourceOptions& options) {
  auto reader = ByteReader::open(local_path(input), options.interrupted);
  reader->set_timeout(options.timeout);
  return reader;
}

std::unique_ptr<Source> open_pipe_source(const std::string&, const SourceOptions& options) {
  return open_stream(read_stdin(options), options);
}

std::unique_ptr<Source> open_file_source(const std::string& input, const SourceOptions& options) {
  struct stat status;
  if (is_url(input) && stat(input.c_str(), &status) != 0)
    return open_container(input, nullptr, options);
  const std::string path = local_path(input);
  if (stat(path.c_str(), &status) != 0) {
    if (is_numbered(path)) return open_container("file:" + path, nullptr, options);
    throw Error(MessageKind::input_missing, "cannot open the input", path, "there is no such file");
  }
  auto reader = read_file(path, options);
  if (!S_ISREG(status.st_mode) || is_y4m(*reader, options))
    return open_stream(std::move(reader), options);
  if (status.st_size == 0) throw Error(Fault::input, "cannot read the input", path, "it is empty");
  return open_container("file:" + path, nullptr, options);  // it seeks by itself
}

}  // namespace vidconv
