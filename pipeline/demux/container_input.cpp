#include "pipeline/demux/container_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/spec/kernel_file.h"
#include "pipeline/av/container.h"
#include "pipeline/av/devices.h"
#include "pipeline/av/log_lines.h"
#include "pipeline/base/url.h"
#include "pipeline/demux/mpeg_layers.h"
#include "pipeline/demux/provenance.h"
#include "pipeline/demux/still_images.h"
#include "pipeline/demux/stream_info.h"

namespace vidconv {
namespace {

// FFmpeg says these lines while packets are read.
constexpr std::string_view of_packets[] = {log_lines::refused_name, log_lines::broken_packet[0],
                                           log_lines::broken_packet[1]};
static_assert(std::size(of_packets) == 1 + std::size(log_lines::broken_packet));

// Options with this in their names say where an input may lead, which is not for the input's
// options.
constexpr std::string_view of_trust = "_whitelist";

struct DictionaryFree {
  void operator()(AVDictionary* options) const { av_dict_free(&options); }
};

// Frames that tell the rate at which frames come, and microseconds to look for them.
constexpr int frames_for_rate = 8;
constexpr std::int64_t short_look = AV_TIME_BASE;
// Microseconds, and bytes, in which streams are looked for in a file whose header does not name
// them all.
constexpr std::int64_t long_look = std::int64_t{60} * AV_TIME_BASE;
constexpr std::int64_t long_look_bytes = 32 << 20;
constexpr std::int64_t shortest_look = 4096;  // bytes

}  // namespace

ContainerInput::ContainerInput(const std::string& url, std::unique_ptr<ByteReader> reader,
                               const SourceOptions& options)
    : url_(url),
      name_(redacted(local_path(url))),
      timeout_(options.timeout),
      max_pixels_(options.max_pixels),
      frame_rate_(options.frame_rate),
      copy_times_(options.copy_times),
      video_(options.video.value_or(1)),
      live_(is_live(url, options)),
      low_delay_(options.low_delay || (live_ && is_device(url, options.format))),
      own_(options.own),
      known_(options.known),
      interrupted_(options.interrupted),
      notify_(options.video_only ? nullptr : options.notify),
      format_(find_input_format(options.format)),
      references_(reader         ? References::Input::pipe
                  : is_url(url_) ? References::Input::address
                                 : References::Input::file,
                  url_, name_, format_, options.insecure, options.files),
      look_bytes_(long_look_bytes) {
  if (reader) pipe_.emplace(std::move(reader), kept_beginning);
  open();
}

int ContainerInput::wants_to_stop(void* self) noexcept {
  auto& input = *static_cast<ContainerInput*>(self);
  // Many small packets may make one of the video's.
  if (const AVIOContext* io = input.listened_to_ ? input.listened_to_->pb : nullptr;
      io && io->bytes_read != input.bytes_heard_) {
    input.bytes_heard_ = io->bytes_read;
    input.heard_ = Clock::now();
  }
  if (input.timeout_ > 0 && seconds_since(input.heard_) > input.timeout_) input.gave_up_ = true;
  // Stops libavformat, which may go on without what was refused, as with playlists of live video.
  return input.stopped() || input.gave_up_ || input.references_.refused() ? 1 : 0;
}

int ContainerInput::open_reference(AVFormatContext* container, AVIOContext** opened,
                                   const char* url, int flags, AVDictionary** options) noexcept {
  auto* input = static_cast<ContainerInput*>(container->opaque);
  if (!input) return AVERROR(EPERM);  // a demuxer's own container inside of ours
  return input->references_.open(*container, opened, url, flags, options);
}

void ContainerInput::open() {
  const AvErrors::Here listen(errors_);
  heard_ = Clock::now();
  take_last_chunk();
  take_end_without_length();
  last_chunk_.reset();
  AVFormatContext* context = avformat_alloc_context();
  if (!context) throw_out_of_memory("to read", name_);
  context->opaque = this;
  context->interrupt_callback = {wants_to_stop, this};
  context->io_open = open_reference;
  container_.reset(context);
  references_.limit(*context);
  if (low_delay_) {
    context->fps_probe_size = frames_for_rate;
    context->max_analyze_duration = short_look;
  } else if (is_stored()) {
    context->probesize = look_bytes_;
    // The end of the file has the list that must not be found.
    if (look_bytes_ < long_look_bytes) context->skip_estimate_duration_from_pts = 1;
    context->max_analyze_duration = long_look;
  }
  check_own();
  AVDictionary* own = nullptr;  // options of the demuxer
  for (const auto& [key, value] : own_) av_dict_set(&own, key.c_str(), value.c_str(), 0);
  if (!pipe_ && !live_ && is_numbered(name_)) av_dict_set(&own, "start_number_range", "100000", 0);
  if (!frame_rate_.empty()) av_dict_set(&own, "framerate", frame_rate_.c_str(), 0);
  // MPEG-TS is looked at until all programs are known, as by ffmpeg(1): else too few pictures may
  // be seen to tell how late they can come, and the decoder drops some. What is read once needs its
  // first program as it is: another's streams may go on with it.
  const bool all_programs = is_stored() && !av_dict_get(own, "scan_all_pmts", nullptr, 0);
  if (all_programs) av_dict_set(&own, "scan_all_pmts", "1", 0);
  const bool dash_is_closed = references_.close_dash(&own);
  const AvLines lines;
  context = container_.release();
  if (pipe_) context->pb = pipe_->context();
  listened_to_ = context;
  const int code = avformat_open_input(&context, url_.c_str(), format_, &own);
  listened_to_ = context;  // null where it failed
  if (all_programs) av_dict_set(&own, "scan_all_pmts", nullptr, 0);
  if (dash_is_closed) av_dict_set(&own, References::files_of_dash, nullptr, 0);
  const bool has_times = !frame_rate_.empty() && av_dict_get(own, "framerate", nullptr, 0);
  const std::unique_ptr<AVDictionary, DictionaryFree> left(own);
  container_.reset(context);  // libavformat has freed it and set it to null if it failed
  if (code < 0) references_.check(lines.text());
  if (code == AVERROR_INVALIDDATA || code == AVERROR_PATCHWELCOME) refuse_still();
  check(code);
  refuse_unknown(left.get());
  if (has_times)
    throw Error(Fault::usage, "`frame_rate`", frame_rate_,
                std::string(container_->iformat->name) + " says itself when its frames are shown",
                "leave it out");
  // libavformat takes any text for a terminal's recording, with a picture of its letters.
  if (!format_ && std::string_view(container_->iformat->name) == "tty")
    throw Error(Fault::input, "cannot read the input", name_, "it is text, not a video");
  heard_ = Clock::now();
  check(find_streams());
  if (is_stored() && !read_in_advance_ && LateStreams::may_be_in(*container_)) {
    read_in_advance_ = true;
    late_ = {};
    late_.find(*container_, url_, container_->interrupt_callback);
    check_ours();
    // The list that names them comes before them.
    const std::int64_t before = late_.border() / 2;
    if (before > shortest_look && before < look_bytes_) {
      look_bytes_ = before;
      read_in_advance_ = false;
      return open();
    }
  }
  late_.add_to(*container_);
  const std::string others = begin_with_program_of(*container_, video_);
  if (!others.empty() && !copy_times_ && !std::exchange(told_of_clocks_, true))
    notify(
        notify_, MessageKind::times_moved,
        fmt::format("programs of the input have clocks of their own: {}; their streams are moved "
                    "to begin with those of the video, `copy_times` leaves them",
                    others));
  refuse_tiles(*container_, name_);
  turn_still(*container_);
  note_chunk();
  begin();
}

bool ContainerInput::is_stored() const { return !pipe_ && !live_ && !is_url(url_) && !low_delay_; }

void ContainerInput::refuse_still() const {
  std::string beginning(pipe_ ? pipe_->beginning() : std::string_view());
  const std::string path = local_path(url_);
  if (!pipe_ && !is_url(url_) && std::filesystem::is_regular_file(path))
    beginning = read_first_bytes(path);
  if (const std::string why = unread_still(beginning); !why.empty())
    throw Error(MessageKind::input_unreadable, "cannot read the input", name_, why);
}

void ContainerInput::note_chunk() {
  if (const auto chunk = take_last_chunk()) last_chunk_ = chunk;
  // The end of the connection is the end of such an answer (RFC 9112, 8).
  if (take_end_without_length() && !last_chunk_) last_chunk_ = 0;
}

void ContainerInput::check_own() const {
  for (const auto& [key, value] : own_)
    if (key.ends_with(of_trust))
      throw Error(MessageKind::command_line, "cannot set the input's option",
                  Error::Value::naming("`input_options` " + verbatim(key)),
                  "it says where an input may lead", "see TRUST in the manual");
}

// Throws if neither libavformat nor the demuxer has taken an option.
void ContainerInput::refuse_unknown(AVDictionary* left) const {
  for (const auto& [key, value] : own_)
    if (av_dict_get(left, key.c_str(), nullptr, 0))
      throw Error(
          MessageKind::command_line, "cannot set the input's option",
          Error::Value::naming("`input_options` " + verbatim(key) + "=" + verbatim(value)),
          fmt::format("{} has no such option", container_->iformat->name),
          fmt::format("'ffmpeg -h demuxer={}' lists them",
                      std::string_view(container_->iformat->name)
                          .substr(0, std::string_view(container_->iformat->name).find(','))));
}

void ContainerInput::begin() {
  jumps_.emplace(
      *container_,
      Discontinuities::Options{.video = video_, .leave = copy_times_, .in_the_middle = moved_},
      [this](MessageKind kind, const std::string& line) {
        if (!std::exchange(told_, true)) notify(notify_, kind, line);
      });
}

// Decodes pictures of every video on the way, if nothing is known.
int ContainerInput::find_streams() {
  if (known_ && known_->describe(*container_)) return 0;
  std::vector<AVDictionary*> options(container_->nb_streams);
  for (AVDictionary*& stream : options)
    av_dict_set_int(&stream, "max_pixels", decoder_limit(max_pixels_), 0);
  const AvLines lines;
  const int code = avformat_find_stream_info(container_.get(), options.data());
  for (AVDictionary*& stream : options) av_dict_free(&stream);
  if (is_stored() && code >= 0) name_mpeg_layers(*container_, url_, container_->interrupt_callback);
  const std::size_t refused = lines.text().find(log_lines::refused_size);
  refused_ = refused == std::string::npos
                 ? ""
                 : lines.text().substr(refused + log_lines::refused_size.size());
  if (lines.text().find(log_lines::refused_name) != std::string::npos)
    references_.check(lines.text());
  return code;
}

void ContainerInput::check_size(const AVCodecParameters& video) const {
  std::int64_t width = video.width, height = video.height;
  const bool refused = width == 0 && height == 0;
  if (refused) std::sscanf(refused_.c_str(), "%" SCNd64 "x%" SCNd64, &width, &height);
  if (width < 1 || height < 1) return;  // perhaps the decoder finds out
  constexpr const char* what = "cannot read the input";
  if (exceeds(width, height, max_pixels_))
    check_picture_size(width, height, AV_PIX_FMT_NONE, max_pixels_, Fault::input, what, name_);
  if (refused)
    throw Error(MessageKind::too_large, what, name_,
                fmt::format("FFmpeg decodes no picture of {}x{}", width, height));
}

int ContainerInput::read_next(AVPacket& packet) {
  for (;;) {
    if (late_.take_next(packet)) return 0;
    const int code = av_read_frame(container_.get(), &packet);
    if (code < 0 || late_.place(*container_, packet)) return code;
    av_packet_unref(&packet);
  }
}

int ContainerInput::read(AVPacket& packet) {
  const AvErrors::Here listen(errors_);
  const AvLines said(of_packets, AV_LOG_DEBUG);
  heard_ = Clock::now();
  const std::int64_t errors = errors_.count();
  int code = read_next(packet);
  note_chunk();
  // FFmpeg 9 calls it a failure that nothing follows the last chunk of an answer.
  if (code == AVERROR(EIO) && last_chunk_ == 0) code = AVERROR_EOF;
  const bool misnamed = said.text().find(log_lines::refused_name) != std::string::npos;
  references_.check(misnamed ? said.text() : "");
  if (code < 0 && gave_up_ && live_ && !stopped()) return AVERROR(ETIMEDOUT);
  if (code < 0 && !stopped()) check_ours();
  if (code >= 0 && packet.pos >= 0) behind_packets_ = packet.pos + packet.size;
  if (code < 0 && code != AVERROR_EOF && has_ended()) {
    errors_of_end_ += errors_.count() - errors;
    code = AVERROR_EOF;
  }
  broken_ = !misnamed && !said.text().empty();
  if (code >= 0) jumps_->follow(packet);
  return code;
}

std::string ContainerInput::bytes_at(std::int64_t at, std::size_t count) const {
  if (pipe_) {
    const std::string_view kept = pipe_->beginning();
    return std::string(kept.substr(std::min(kept.size(), static_cast<std::size_t>(at)), count));
  }
  AVIOContext* io = container_->pb;
  std::string bytes(count, '\0');
  if (!io || is_url(url_) || !(io->seekable & AVIO_SEEKABLE_NORMAL)) return {};
  const std::int64_t before = avio_tell(io);
  avio_seek(io, at, SEEK_SET);
  const int length =
      avio_read(io, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  avio_seek(io, before, SEEK_SET);
  bytes.resize(static_cast<std::size_t>(std::max(0, length)));
  return bytes;
}

InputBytes ContainerInput::bytes() const {
  if (pipe_) return {std::string(pipe_->beginning()), pipe_->length(), pipe_->last()};
  InputBytes bytes{bytes_at(0, kept_beginning)};
  if (bytes.beginning.empty()) return {};
  bytes.length = avio_size(container_->pb);
  if (const std::string last = bytes_at(bytes.length - 1, 1); !last.empty())
    bytes.last = static_cast<unsigned char>(last[0]);
  return bytes;
}

bool ContainerInput::has_manifest() const {
  return vidconv::has_manifest(
      [this](std::int64_t at, std::size_t count) { return bytes_at(at, count); });
}

// A pipe's last bytes are still in the buffer.
bool ContainerInput::has_ended() const {
  constexpr std::int64_t longest = 128;
  AVIOContext* io = container_->pb;
  const std::int64_t end = io ? avio_tell(io) : 0;
  const std::int64_t from = std::max<std::int64_t>(0, end - longest);
  if (!io || !avio_feof(io) || avio_seek(io, from, SEEK_SET) < 0) return false;
  std::string last(longest, '\0');
  last.resize(static_cast<std::size_t>(
      std::max(0, avio_read(io, reinterpret_cast<unsigned char*>(last.data()), longest))));
  return may_end_with(container_->iformat->name, last, end - behind_packets_);
}

bool ContainerInput::was_cut() {
  AVIOContext* io = container_->pb;
  if (!io || pipe_ || !scheme_of(url_).starts_with("http") ||
      (container_->iformat->flags & AVFMT_NOFILE))
    return false;
  // Only a further read sees the end of the chunks.
  constexpr int most_behind = 4096;
  std::array<unsigned char, 1024> behind;
  for (int i = 0; i < most_behind; ++i)
    if (avio_read(io, behind.data(), static_cast<int>(behind.size())) <= 0) {
      note_chunk();
      return last_chunk_.value_or(0) > 0;
    }
  return false;
}

std::optional<int> ContainerInput::loops() const {
  const std::string_view format = container_->iformat->name;
  if (format != "gif" && format != "apng") return std::nullopt;
  return loops_of(format, bytes().beginning);
}

bool ContainerInput::seek(std::int64_t time) {
  // Elementary streams have no times but those that are counted from the beginning.
  if (container_->iformat->flags & AVFMT_NOTIMESTAMPS) return false;
  const AVIOContext* bytes = container_->pb;
  if (bytes && !(bytes->seekable & AVIO_SEEKABLE_NORMAL)) return false;
  heard_ = Clock::now();
  moved_ = true;
  late_.restart();
  begin();
  return av_seek_frame(container_.get(), -1, time, AVSEEK_FLAG_BACKWARD) >= 0;
}

void ContainerInput::rewind() {
  if (std::exchange(moved_, false)) open();
}

void ContainerInput::cancel() {
  cancelled_ = true;
  if (pipe_) pipe_->cancel();
}

void ContainerInput::refuse_stopped() const {
  if (stopped()) throw Error(Fault::input, "cannot read the input", name_, "it was interrupted");
}

void ContainerInput::check_ours() const {
  references_.check();
  if (pipe_) pipe_->rethrow();
  refuse_stopped();
  if (gave_up_)
    throw Error(MessageKind::input_silent, "cannot read the input", name_,
                fmt::format("nothing came for {:g} s", timeout_), "see `timeout`");
}

int ContainerInput::check(int code) const {
  // Once given up, libavformat may make the best of what has come.
  if (code < 0 || gave_up_) check_ours();
  references_.check();
  try {
    return check_av(code, Fault::input, "cannot read the input", name_);
  } catch (const Error& error) {
    if (error.why().find(log_lines::missing_index) == std::string::npos) throw;
    throw Error(Fault::input, "cannot read the input", name_,
                "it is not complete: its index (moov), which is written last, is missing",
                "copy it again from where it is whole; what ended while it was recorded may be "
                "repaired by a tool for that");
  }
}

void ContainerInput::refuse_index_behind(int code) const {
  if (!pipe_ || code != AVERROR_INVALIDDATA ||
      std::string_view(container_->iformat->name).substr(0, 4) != "mov,")
    return;
  throw Error(Fault::input, "cannot read the input", name_,
              "its index (moov) lies behind the pictures, which a pipe gives only once",
              "name the file itself, or write it with its index first: ffmpeg -i IN -c copy "
              "-movflags +faststart OUT");
}

}  // namespace vidconv
