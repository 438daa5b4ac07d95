#include "pipeline/sink/muxer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "pipeline/av/av_log.h"
#include "pipeline/sink/lost_start.h"

extern "C" {
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
}

#include "kernels/base/names.h"

namespace vidconv {
namespace {

// Returns a clock for MP4's edit lists that has a tick at every tick of the streams.
std::int64_t common_clock(const AVFormatContext& container) {
  constexpr std::int64_t usual = 1000, largest = 100'000'000;
  std::int64_t clock = usual;
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVRational tick = container.streams[i]->time_base;
    if (tick.num <= 0) continue;
    const std::int64_t both = std::lcm(clock, std::int64_t{tick.den});
    if (both <= largest) clock = both;
  }
  return clock;
}

}  // namespace

Muxer::Muxer(const AVOutputFormat& format, std::string output, const MuxerOptions& options,
             Notify notify, Notify lose)
    : format_(format),
      output_(std::move(output)),
      notify_(std::move(notify)),
      lose_(std::move(lose)),
      options_(options),
      holding_(!holds_times_before_zero(format)) {
  AVFormatContext* container = nullptr;
  check(avformat_alloc_output_context2(&container, &format, nullptr, output_.c_str()));
  container_.reset(container);
  // Codecs that a container adopted lately are experimental to older libraries.
  container->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  // Only this class moves times, as libavformat would do so silently.
  container->avoid_negative_ts = 0;
  set_options();
}

// Sets the user's options before begin() passes its own, which add flags to them.
void Muxer::set_options() {
  const auto names = [&] {
    std::vector<std::string_view> all;
    for (const void* object : {static_cast<const void*>(container_.get()),
                               static_cast<const void*>(container_->priv_data)}) {
      const AVOption* option = nullptr;
      while (object && format_.priv_class && (option = av_opt_next(object, option)))
        if (option->type != AV_OPT_TYPE_CONST && (option->flags & AV_OPT_FLAG_ENCODING_PARAM))
          all.emplace_back(option->name);
    }
    return all;
  };
  for (const auto& [key, value] : options_) {
    const auto shown =
        Error::Value::naming("`muxer_options` " + verbatim(key) + "=" + verbatim(value));
    const AVOption* option =
        av_opt_find(container_.get(), key.c_str(), nullptr, 0, AV_OPT_SEARCH_CHILDREN);
    if (!option || !(option->flags & AV_OPT_FLAG_ENCODING_PARAM))
      throw Error(MessageKind::encoder_option, "cannot set the container's option", shown,
                  fmt::format("{} has no option '{}'{}", format_.name, verbatim(key),
                              did_you_mean(key, names())),
                  fmt::format("'ffmpeg -h muxer={}' lists them", format_.name));
    const int code =
        av_opt_set(container_.get(), key.c_str(), value.c_str(), AV_OPT_SEARCH_CHILDREN);
    if (code < 0)
      throw_av(code, MessageKind::encoder_option, "cannot set the container's option", shown);
  }
}

void Muxer::set_default(const char* key, std::int64_t value) {
  if (std::ranges::find(options_, key, &MuxerOptions::value_type::first) == options_.end())
    av_opt_set_int(container_.get(), key, value, AV_OPT_SEARCH_CHILDREN);
}

Muxer::~Muxer() {
  if (!container_) return;
  // FFmpeg's GIF muxer frees its last picture only when it writes the trailer. The trailer goes
  // nowhere: after an error nothing is written.
  if (needs_trailer_ && std::string_view(format_.name) == "gif") {
    container_->pb->error = AVERROR(EIO);
    av_write_trailer(container_.get());
  }
}

int Muxer::check(int code) const {
  if (code < 0 && to_) to_->rethrow();
  return check_av(code, Fault::output, "cannot write the output", output_);
}

AVStream& Muxer::add_stream() {
  AVStream* stream = avformat_new_stream(container_.get(), nullptr);
  if (!stream) throw_out_of_memory("for a stream of", output_);
  return *stream;
}

void Muxer::begin(std::unique_ptr<PipeOutput> to) {
  to_ = std::move(to);
  to_->connect(*container_);
  AVDictionary* options = nullptr;
  if (is_mov_family(format_)) {
    set_default("movie_timescale", common_clock(*container_));
    const std::string others = tags_without_place(format_, container_->metadata);
    if (!others.empty() && !has_cover())
      av_dict_set(&options, "movflags", "+use_metadata_tags", 0);
    else if (!others.empty())
      notify(lose_, MessageKind::not_held,
             fmt::format("beside a cover {} cannot hold these tags: {}", format_.name, others));
  }
  if (std::string_view(format_.name) == "mpegts") av_dict_set(&options, "mpegts_copyts", "1", 0);
  const bool by_name = av_dict_get(options, "movflags", nullptr, 0) != nullptr;
  const int code = avformat_write_header(container_.get(), &options);
  av_dict_free(&options);
  check(code);
  // The header has this tag in its own place. FFmpeg 9 would read it once more from the list, which
  // is written at the end.
  if (by_name) av_dict_set(&container_->metadata, "creation_time", nullptr, 0);
  needs_trailer_ = true;
  last_dts_.resize(container_->nb_streams);
  last_exact_.resize(container_->nb_streams);
  steps_.resize(container_->nb_streams);
  written_.resize(container_->nb_streams);
  if (TimelessSound::is_of(format_)) timeless_.emplace(*container_, notify_, lose_);
}

bool Muxer::has_cover() const {
  for (unsigned i = 0; i < container_->nb_streams; ++i)
    if (container_->streams[i]->disposition & AV_DISPOSITION_ATTACHED_PIC) return true;
  return false;
}

void Muxer::write(AVPacket& packet, AVRational time_base, const AVStream& to) {
  packet.stream_index = to.index;
  packet.pos = -1;
  // Packets are held in the source's time base, where a shift is exact for all streams alike.
  packet.time_base = time_base;
  if (!holding_) return mux_with_silence(packet);
  PacketPtr held = make_packet();
  av_packet_move_ref(held.get(), &packet);
  held_bytes_ += held->size;
  held_.push_back(std::move(held));
  std::erase(awaited_, to.index);
  // The limits are the time that libavformat waits for a stream's packets, and reasonable memory.
  constexpr double longest_hold = 10;  // seconds
  constexpr std::int64_t most_held = 256 << 20;
  const auto seconds = [](const AVPacket& p) {
    return static_cast<double>(p.dts != AV_NOPTS_VALUE ? p.dts : p.pts) * av_q2d(p.time_base);
  };
  if (awaited_.empty() || held_bytes_ > most_held ||
      seconds(*held_.back()) - seconds(*held_.front()) > longest_hold)
    release();
}

// Ends holding when the first packets are there: shifts all times so that the earliest is 0.
void Muxer::release() {
  holding_ = false;
  for (const PacketPtr& packet : held_) {
    const bool decoding = packet->dts != AV_NOPTS_VALUE && !is_matroska(format_);
    const std::int64_t time = decoding ? packet->dts : packet->pts;
    if (time == AV_NOPTS_VALUE) continue;
    later_ =
        std::max(later_, -av_rescale_q_rnd(time, packet->time_base, AV_TIME_BASE_Q, AV_ROUND_DOWN));
  }
  if (later_ > 0)
    notify(times_count_ ? lose_ : notify_,
           times_count_ ? MessageKind::not_held : MessageKind::times_moved,
           fmt::format("{} holds no times before 0: all are {:.6g} s later", format_.name,
                       static_cast<double>(later_) / AV_TIME_BASE));
  if (times_count_ && is_avi()) begin_at_zero();
  tell_start();
  for (const PacketPtr& packet : std::exchange(held_, {})) mux_with_silence(*packet);
}

// AVI counts pictures from 0 on: a late start would be as many empty ones behind the first.
void Muxer::begin_at_zero() {
  std::optional<std::int64_t> first;
  for (const PacketPtr& packet : held_) {
    const std::int64_t time = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
    if (time == AV_NOPTS_VALUE) continue;
    const std::int64_t at =
        av_rescale_q_rnd(time, packet->time_base, AV_TIME_BASE_Q, AV_ROUND_DOWN);
    first = std::min(first.value_or(at), at);
  }
  if (first.value_or(0) <= 0) return;
  later_ = -*first;
  notify(lose_, MessageKind::not_held,
         fmt::format("{} begins at 0: all times are {:.6g} s earlier", format_.name,
                     static_cast<double>(*first) / AV_TIME_BASE));
}

// A gap in AVI is filled with empty pictures, and FFmpeg's muxer writes no more of them at once.
void Muxer::check_gap(const AVPacket& packet) const {
  constexpr std::int64_t most = 60000;
  const AVStream& to = *container_->streams[packet.stream_index];
  const auto& last = last_dts_[static_cast<std::size_t>(packet.stream_index)];
  if (!is_avi() || to.codecpar->codec_type != AVMEDIA_TYPE_VIDEO || !last ||
      packet.dts == AV_NOPTS_VALUE || packet.dts - *last <= most)
    return;
  throw Error(MessageKind::output_unwritable, "cannot write the output", output_,
              fmt::format("a gap in the video lasts {} pictures, and avi holds {} at most",
                          packet.dts - *last, most),
              "use `format` matroska");
}

void Muxer::tell_start() {
  if (!timeless_) return;
  std::optional<std::int64_t> first;
  for (const PacketPtr& packet : held_) {
    const AVStream& stream = *container_->streams[packet->stream_index];
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO || packet->pts == AV_NOPTS_VALUE)
      continue;
    const std::int64_t shown = av_rescale_q(packet->pts, packet->time_base, AV_TIME_BASE_Q);
    first = std::min(first.value_or(shown), shown);
  }
  timeless_->begin(first.value_or(0));
}

void Muxer::check_start(const AVPacket& packet) {
  const AVStream& to = *container_->streams[packet.stream_index];
  if (!times_count_ || start_is_told_ || to.codecpar->codec_type != AVMEDIA_TYPE_VIDEO ||
      packet.pts == AV_NOPTS_VALUE)
    return;
  start_is_told_ = true;
  if (!holds_start(format_))
    name_lost_start(format_.name, static_cast<double>(packet.pts) * av_q2d(packet.time_base),
                    lose_);
}

void Muxer::mux_with_silence(AVPacket& packet) {
  if (timeless_) timeless_->before(packet, [this](AVPacket& silence) { mux_silence(silence); });
  mux(packet);
}

// Packets that nobody gave do not count.
void Muxer::mux_silence(AVPacket& packet) {
  const auto stream = static_cast<std::size_t>(packet.stream_index);
  mux(packet);
  --written_[stream];
}

void Muxer::mux(AVPacket& packet) {
  const AVStream& to = *container_->streams[packet.stream_index];
  if (later_ != 0) {
    const std::int64_t later = av_rescale_q(later_, AV_TIME_BASE_Q, packet.time_base);
    if (packet.pts != AV_NOPTS_VALUE) packet.pts = av_sat_add64(packet.pts, later);
    if (packet.dts != AV_NOPTS_VALUE) packet.dts = av_sat_add64(packet.dts, later);
  }
  check_start(packet);
  const std::int64_t exact = packet.dts;
  av_packet_rescale_ts(&packet, packet.time_base, to.time_base);
  packet.time_base = to.time_base;
  check_gap(packet);
  measure(packet);
  straighten(packet, exact);
  if (packet.pts != AV_NOPTS_VALUE)
    end_ = std::max(end_, av_rescale_q(packet.pts + packet.duration, to.time_base, {1, 1000}));
  const auto stream = static_cast<std::size_t>(packet.stream_index);
  ++written_[stream];
  watch(packet);
  write_interleaved(&packet);
}

// Gives a packet of sound a duration where nothing tells it. A track of the MOV family ends where
// its last packet does, and readers drop one that does not last.
void Muxer::measure(AVPacket& packet) {
  const AVStream& to = *container_->streams[packet.stream_index];
  AVCodecParameters& sound = *to.codecpar;
  if (!is_mov_family(format_) || sound.codec_type != AVMEDIA_TYPE_AUDIO || packet.duration > 0 ||
      packet.dts == AV_NOPTS_VALUE || av_get_audio_frame_duration2(&sound, packet.size) > 0)
    return;
  const auto& last = last_dts_[static_cast<std::size_t>(packet.stream_index)];
  std::int64_t& step = steps_[static_cast<std::size_t>(packet.stream_index)];
  if (last && packet.dts > *last)
    step = step > 0 ? std::min(step, packet.dts - *last) : packet.dts - *last;
  const std::int64_t usual = av_rescale_q(1, {1, 50}, to.time_base);
  packet.duration = step > 0 ? step : std::max<std::int64_t>(1, usual);
}

void Muxer::watch(AVPacket& packet) {
  const std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  auto watched = std::make_unique<Watched>(
      Watched{this, packet.stream_index,
              time == AV_NOPTS_VALUE ? -1 : static_cast<double>(time) * av_q2d(packet.time_base)});
  const auto let_go = [](void*, std::uint8_t* data) {
    const std::unique_ptr<Watched> last(reinterpret_cast<Watched*>(data));
    last->muxer->gone_ = *last;
  };
  av_buffer_unref(&packet.opaque_ref);
  packet.opaque_ref = av_buffer_create(reinterpret_cast<std::uint8_t*>(watched.get()),
                                       sizeof *watched, let_go, nullptr, 0);
  if (!packet.opaque_ref) throw_out_of_memory("for a packet of", output_);
  static_cast<void>(watched.release());
}

bool Muxer::write_interleaved(AVPacket* packet) {
  gone_.reset();
  const AvLines said;
  const int code = av_interleaved_write_frame(container_.get(), packet);
  const bool can_write = code != AVERROR(ENOMEM) && container_->pb->error >= 0;
  if (code < 0 && can_write && gone_ && refused_) {
    const std::string when =
        gone_->seconds < 0 ? "an unknown time" : fmt::format("{:.6g} s", gone_->seconds);
    const std::string why =
        said.text().empty() ? av_message(code) : said.text().substr(0, said.text().find("; "));
    if (refused_(*container_->streams[static_cast<unsigned>(gone_->stream)], when, why)) {
      --written_[static_cast<std::size_t>(gone_->stream)];
      take_av_line();
      return false;
    }
  }
  check(code);
  return true;
}

// Reports that two times have become one in the container's coarser time base.
void Muxer::name_coarse(const AVPacket& packet) {
  const AVStream& stream = *container_->streams[packet.stream_index];
  if (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO || std::exchange(coarse_is_told_, true))
    return;
  notify(lose_, MessageKind::not_held,
         fmt::format("{} counts time in steps of {:g} ms, and pictures of output stream #{} come "
                     "faster: several have the time of one",
                     format_.name, 1e3 * av_q2d(stream.time_base), packet.stream_index));
}

// Makes dts grow, as containers demand: those of broken inputs may not, and rounding may make two
// of them equal.
void Muxer::straighten(AVPacket& packet, std::int64_t exact) {
  if (packet.dts == AV_NOPTS_VALUE) return;
  std::optional<std::int64_t>& last = last_dts_[static_cast<std::size_t>(packet.stream_index)];
  std::int64_t& last_exact = last_exact_[static_cast<std::size_t>(packet.stream_index)];
  if (last && exact > last_exact && packet.dts <= *last) name_coarse(packet);
  last_exact = exact;
  const std::int64_t least =
      last ? *last + (format_.flags & AVFMT_TS_NONSTRICT ? 0 : 1) : packet.dts;
  if (packet.dts < least) {
    if (std::exchange(times_were_right_, false))
      notify(notify_, MessageKind::times_moved,
             fmt::format("the times of output stream #{} do not grow: some are moved",
                         packet.stream_index));
    packet.dts = least;
    if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, least);
  }
  last = packet.dts;
}

void Muxer::finish() {
  if (holding_) release();
  if (timeless_) timeless_->end([this](AVPacket& silence) { mux_silence(silence); });
  while (!write_interleaved(nullptr)) continue;  // each refused packet ends a call
  needs_trailer_ = false;
  check(av_write_trailer(container_.get()));
  avio_flush(container_->pb);
  check(container_->pb->error);
}

std::int64_t Muxer::bytes() const {
  return container_->pb ? std::max<std::int64_t>(0, avio_tell(container_->pb)) : 0;
}

}  // namespace vidconv
