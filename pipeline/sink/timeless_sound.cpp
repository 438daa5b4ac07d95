#include "pipeline/sink/timeless_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "pipeline/av/container.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

bool is_one_of(const AVOutputFormat& container, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, std::string_view(container.name)) != names.end();
}

// Such files hold as much sound as picture: FFmpeg's muxers drop what is beyond the shorter one.
bool ends_with_shortest(const AVOutputFormat& container) {
  return is_one_of(container, {"mxf", "mxf_d10", "mxf_opatom", "dv"});
}

// Smooth Streaming's files say how long each packet lasts. Readers like FFmpeg's do not see when
// the first one begins.
bool has_no_first_time(const AVOutputFormat& container) { return is_one_of(container, {"ismv"}); }

// Returns the byte that silence is made of; negative where it is not known.
int silence_of(AVCodecID codec) {
  if (codec == AV_CODEC_ID_PCM_U8) return 0x80;
  if (codec == AV_CODEC_ID_PCM_ALAW) return 0xd5;
  if (codec == AV_CODEC_ID_PCM_MULAW) return 0xff;
  const std::string_view name = avcodec_get_name(codec);
  const bool has_zero = name.starts_with("pcm_s") || name.starts_with("pcm_f");
  return has_zero && av_get_bits_per_sample(codec) > 0 ? 0 : -1;
}

int bytes_of(const AVCodecParameters& sound) {
  return sound.ch_layout.nb_channels * av_get_bits_per_sample(sound.codec_id) / 8;
}

}  // namespace

TimelessSound::TimelessSound(const AVFormatContext& container, Notify notify, Notify lose)
    : container_(container), notify_(std::move(notify)), lose_(std::move(lose)) {
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVCodecParameters& p = *container.streams[i]->codecpar;
    if (p.codec_type == AVMEDIA_TYPE_AUDIO && p.sample_rate > 0)
      tracks_.emplace(static_cast<int>(i), Track{});
  }
}

bool TimelessSound::is_of(const AVOutputFormat& container) {
  return is_one_of(container, {"avi", "mxf", "mxf_d10", "mxf_opatom", "gxf", "dv", "rm", "swf",
                               "roq", "amv"}) ||
         has_no_first_time(container);
}

// AVI counts pictures from 0 on, and those that are missing.
void TimelessSound::begin(std::int64_t picture) {
  if (std::string_view(container_.oformat->name) != "avi") begin_ = picture;
}

void TimelessSound::before(const AVPacket& packet, const Write& write) {
  const std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const AVCodecParameters& p = *container_.streams[packet.stream_index]->codecpar;
  const std::int64_t at = time == AV_NOPTS_VALUE
                              ? AV_NOPTS_VALUE
                              : av_rescale_q(time, packet.time_base, AV_TIME_BASE_Q);
  if (p.codec_type == AVMEDIA_TYPE_VIDEO && at != AV_NOPTS_VALUE)
    end_ = std::max(end_, at + av_rescale_q(packet.duration, packet.time_base, AV_TIME_BASE_Q));
  const auto found = tracks_.find(packet.stream_index);
  if (found == tracks_.end()) return;
  Track& track = found->second;
  const AVRational sample{1, p.sample_rate};
  const bool plain = silence_of(p.codec_id) >= 0;
  if (at != AV_NOPTS_VALUE && !(track.begun && has_no_first_time(*container_.oformat))) {
    const std::int64_t gap = av_rescale_q(time, packet.time_base, sample) -
                             av_rescale_q(begin_, AV_TIME_BASE_Q, sample) - track.heard;
    // Clocks of sound and picture may drift apart a little.
    const int most = p.sample_rate / (track.begun ? 10 : 50);
    if (gap > most && plain) fill(packet.stream_index, track, gap, write);
    if (gap > most) tell(packet.stream_index, track, gap, plain);
    if (gap > most && !plain) track.heard += gap;
    if (!track.begun && gap < -p.sample_rate / 10)
      notify(lose_, MessageKind::not_held,
             fmt::format("{} has no times for sound: output stream #{} begins {:.3g} s before the "
                         "picture, and is heard so much too late",
                         container_.oformat->name, packet.stream_index,
                         -static_cast<double>(gap) / p.sample_rate));
    track.begun = true;
  }
  track.heard += plain ? packet.size / std::max(1, bytes_of(p))
                       : av_rescale_q(packet.duration, packet.time_base, sample);
}

void TimelessSound::tell(int stream, Track& track, std::int64_t samples, bool filled) {
  if (std::exchange(track.told, true)) return;
  const AVCodecParameters& p = *container_.streams[stream]->codecpar;
  const double seconds = static_cast<double>(samples) / p.sample_rate;
  const char* name = container_.oformat->name;
  if (filled)
    notify(notify_, MessageKind::converted,
           fmt::format("{} has no times for sound: output stream #{} is silent where it had none, "
                       "first for {:.3g} s",
                       name, stream, seconds));
  else
    notify(lose_, MessageKind::not_held,
           fmt::format("{} has no times for sound: output stream #{} ({}) has none for {:.3g} s, "
                       "and what follows is heard so much too early; coded anew by `audio` it "
                       "stays in step",
                       name, stream, avcodec_get_name(p.codec_id), seconds));
}

void TimelessSound::fill(int stream, Track& track, std::int64_t samples, const Write& write) {
  const AVCodecParameters& p = *container_.streams[stream]->codecpar;
  const AVRational sample{1, p.sample_rate};
  while (samples > 0) {
    const std::int64_t count = std::min<std::int64_t>(samples, p.sample_rate);
    const PacketPtr packet = make_packet();
    if (av_new_packet(packet.get(), static_cast<int>(count * bytes_of(p))) < 0)
      throw_out_of_memory("for silence");
    std::memset(packet->data, silence_of(p.codec_id), static_cast<std::size_t>(packet->size));
    packet->stream_index = stream;
    packet->flags = AV_PKT_FLAG_KEY;
    packet->pos = -1;
    packet->time_base = sample;
    packet->pts = packet->dts = track.heard + av_rescale_q(begin_, AV_TIME_BASE_Q, sample);
    packet->duration = count;
    track.heard += count;
    samples -= count;
    write(*packet);
  }
}

void TimelessSound::end(const Write& write) {
  if (!ends_with_shortest(*container_.oformat) || end_ == 0) return;
  for (auto& [stream, track] : tracks_) {
    const AVCodecParameters& p = *container_.streams[stream]->codecpar;
    const std::int64_t whole = av_rescale_q(end_ - begin_, AV_TIME_BASE_Q, {1, p.sample_rate});
    const std::int64_t missing = whole - track.heard;
    if (missing > 0 && silence_of(p.codec_id) >= 0) {
      if (missing > p.sample_rate / 10) tell(stream, track, missing, true);
      fill(stream, track, missing, write);
    } else if (-missing > p.sample_rate / 50) {
      notify(lose_, MessageKind::not_held,
             fmt::format("{} ends with its picture: {:.3g} s of output stream #{} ({}) behind it "
                         "are not kept",
                         container_.oformat->name, -static_cast<double>(missing) / p.sample_rate,
                         stream, avcodec_get_name(p.codec_id)));
    }
  }
}

}  // namespace vidconv
