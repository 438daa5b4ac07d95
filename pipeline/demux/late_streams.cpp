#include "pipeline/demux/late_streams.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "pipeline/av/av_log.h"
#include "pipeline/demux/opened_again.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t most_read = std::int64_t{1} << 30;
// A file whose streams make no sense may have any number of them.
constexpr int most_described = 16;
// Packets that a demuxer and a parser may keep of one stream: sound comes in bursts.
constexpr std::size_t longest_ending = 256;
// A program stream's numbers never have this bit.
constexpr int not_of_demuxer = 1 << 24;

bool is_described(const AVCodecParameters& p) {
  if (p.codec_type == AVMEDIA_TYPE_AUDIO) return p.sample_rate > 0;
  return p.codec_type != AVMEDIA_TYPE_VIDEO || p.width > 0;
}

bool same_sound(const AVCodecParameters& a, const AVCodecParameters& b) {
  return a.codec_type != AVMEDIA_TYPE_AUDIO ||
         (a.sample_rate == b.sample_rate && a.ch_layout.nb_channels == b.ch_layout.nb_channels);
}

CodecParametersPtr copy_of(const AVCodecParameters& parameters) {
  CodecParametersPtr copy(avcodec_parameters_alloc());
  if (!copy || avcodec_parameters_copy(copy.get(), &parameters) < 0)
    throw_out_of_memory("to describe a stream");
  return copy;
}

bool is_program_stream(const AVFormatContext& container) {
  return std::string_view(container.iformat->name) == "mpeg";
}

}  // namespace

// The headers of these formats may not name all streams, and they refer to no other file.
bool LateStreams::may_be_in(const AVFormatContext& container) {
  constexpr std::string_view formats[] = {"mpegts", "mpeg", "flv", "swf", "nsv", "ty", "wtv"};
  return std::ranges::find(formats, container.iformat->name) != std::end(formats);
}

void LateStreams::find(const AVFormatContext& container, const std::string& url,
                       const AVIOInterruptCB& interrupt) {
  // The reader of the container hears of what is wrong in it.
  const AvLines lines;
  AvErrors errors(this);
  const AvErrors::Here listen(errors);
  known_ = static_cast<int>(container.nb_streams);
  const OpenedAgain opened = open_again(container.iformat, url, interrupt);
  AVFormatContext* const ahead = opened.container.get();
  if (!ahead) return;
  const PacketPtr packet = make_packet();
  int code = 0;
  while ((code = av_read_frame(ahead, packet.get())) >= 0 &&
         avio_tell(opened.bytes.get()) < most_read) {
    watch(stream_of(*ahead, packet->stream_index, container), *packet);
    av_packet_unref(packet.get());
    ++packets_;
  }
  to_the_end_ = code == AVERROR_EOF;
  describe(*ahead, container, url, interrupt);
  find_those_before();
  take_av_line();
}

LateStreams::Stream& LateStreams::stream_of(const AVFormatContext& ahead, int index,
                                            const AVFormatContext& container) {
  for (auto i = static_cast<unsigned>(streams_.size()); i <= static_cast<unsigned>(index); ++i) {
    const AVStream& found = *ahead.streams[i];
    Stream& stream = streams_.emplace_back();
    stream.id = found.id;
    stream.type = found.codecpar->codec_type;
    for (int k = 0; k < known_ && !stream.known; ++k) {
      const AVStream& other = *container.streams[k];
      stream.known = other.id == stream.id && other.codecpar->codec_type == stream.type;
      if (stream.known) stream.place = k;
    }
  }
  return streams_[static_cast<std::size_t>(index)];
}

void LateStreams::watch(Stream& stream, const AVPacket& packet) {
  if (stream.first < 0) {
    stream.first = std::max<std::int64_t>(0, packet.pos);
    stream.begins_as = packets_;
  }
  stream.last = std::max(stream.last, packet.pos);
  if (stream.ending.size() >= longest_ending) return;  // it goes on beside the other
  const bool other_begun = std::ranges::any_of(streams_, [&](const Stream& s) {
    return s.type == stream.type && s.begins_as > stream.begins_as;
  });
  if (other_begun) stream.ending.emplace_back(packets_, share_packet(packet));
  if (stream.ending.size() >= longest_ending)
    for (auto& kept : stream.ending) kept.second.reset();
}

// Returns nullptr if nothing is found. A list that names the stream comes shortly before it.
const AVCodecParameters* LateStreams::described_at(AVFormatContext& again, const Stream& stream) {
  constexpr std::int64_t shortly = 20 * 188;  // packets of MPEG-TS
  if (av_seek_frame(&again, -1, std::max<std::int64_t>(0, stream.first - shortly),
                    AVSEEK_FLAG_BYTE) < 0 ||
      avformat_find_stream_info(&again, nullptr) < 0)
    return nullptr;
  for (unsigned i = 0; i < again.nb_streams; ++i) {
    const AVCodecParameters& p = *again.streams[i]->codecpar;
    if (again.streams[i]->id == stream.id && p.codec_type == stream.type && is_described(p))
      return &p;
  }
  return nullptr;
}

void LateStreams::describe(AVFormatContext& ahead, const AVFormatContext& container,
                           const std::string& url, const AVIOInterruptCB& interrupt) {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    streams_[i].listed =
        ahead.nb_programs == 0 || av_find_program_from_stream(&ahead, nullptr, static_cast<int>(i));
  int described = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const AVStream& found = *ahead.streams[i];
    Stream& stream = streams_[i];
    stream.codec = found.codecpar->codec_id;
    const bool late = !stream.known || !is_described(*container.streams[stream.place]->codecpar);
    if (stream.first < 0 || !late || described == most_described) continue;
    OpenedAgain again;  // a container can be asked only once what its streams are
    const AVCodecParameters* known = found.codecpar;
    if (!is_described(*known)) {
      ++described;
      again = open_again(container.iformat, url, interrupt);
      known = again.container ? described_at(*again.container, stream) : nullptr;
    }
    if (!known) continue;
    stream.codec = known->codec_id;
    stream.parameters = copy_of(*known);
    stream.time_base = found.time_base;
    stream.rate = found.avg_frame_rate;
    stream.real_rate = found.r_frame_rate;
    stream.sample_aspect = found.sample_aspect_ratio;
    stream.disposition = found.disposition;
    const AVProgram* program = av_find_program_from_stream(&ahead, nullptr, static_cast<int>(i));
    if (program) stream.program = program->id;
  }
  for (Stream& stream : streams_) {
    if (!stream.known || stream.parameters) continue;
    const AVCodecParameters& found = *container.streams[stream.place]->codecpar;
    stream.codec = found.codec_id;
    stream.parameters = copy_of(found);
  }
}

// Finds the stream of the same kind whose bytes all lie before, and that no list has in the end.
void LateStreams::find_those_before() {
  for (Stream& stream : streams_) {
    if (stream.first < 0 || !stream.parameters) continue;
    const auto ends_before = [&](const Stream& s) {
      return &s != &stream && s.type == stream.type && s.codec == stream.codec && s.parameters &&
             !s.listed && s.first >= 0 && s.last < stream.first &&
             s.ending.size() < longest_ending && same_sound(*s.parameters, *stream.parameters) &&
             std::ranges::none_of(streams_, [&](const Stream& t) { return t.before == &s; });
    };
    const auto it = std::ranges::find_if(streams_, ends_before);
    if (it != streams_.end()) stream.before = &*it;
  }
}

std::int64_t LateStreams::border() const {
  std::int64_t border = 0;
  for (const Stream& s : streams_)
    if (s.known && s.before && (border == 0 || s.first < border)) border = s.first;
  return border;
}

void LateStreams::add_to(AVFormatContext& container) {
  restart();
  known_ = static_cast<int>(container.nb_streams);
  for (int i = 0; i < known_ && to_the_end_; ++i)
    if (!is_described(*container.streams[i]->codecpar) &&
        std::ranges::none_of(streams_, [&](const Stream& s) { return s.place == i; }))
      container.streams[i]->discard = AVDISCARD_ALL;
  for (Stream& stream : streams_) {
    if (!stream.parameters) continue;
    if (stream.before) {
      const Stream* origin = stream.before;
      while (origin->before) origin = origin->before;
      stream.place = origin->place;
      continue;
    }
    const bool added = !stream.known;
    if (!added && is_described(*container.streams[stream.place]->codecpar)) continue;
    AVStream* to =
        added ? avformat_new_stream(&container, nullptr) : container.streams[stream.place];
    if (!to || avcodec_parameters_copy(to->codecpar, stream.parameters.get()) < 0)
      throw_out_of_memory("to describe a stream");
    if (!added) continue;
    stream.place = to->index;
    to->id = is_program_stream(container) ? stream.id | not_of_demuxer : stream.id;
    to->time_base = stream.time_base;
    to->avg_frame_rate = stream.rate;
    to->r_frame_rate = stream.real_rate;
    to->sample_aspect_ratio = stream.sample_aspect;
    to->disposition = stream.disposition;
    const std::span programs(container.programs, container.nb_programs);
    if (std::ranges::any_of(programs, [&](const AVProgram* p) { return p->id == stream.program; }))
      av_program_add_stream_index(&container, stream.program, static_cast<unsigned>(to->index));
  }
  added_ = static_cast<int>(container.nb_streams);
}

LateStreams::Stream* LateStreams::begun(AVFormatContext& container, const AVStream& stream) {
  const auto [entry, is_new] = begun_.try_emplace(stream.index, nullptr);
  if (!is_new) return entry->second;
  const auto found = std::ranges::find_if(streams_, [&](const Stream& s) {
    return s.place >= 0 &&
           (stream.index < added_ ? s.place == stream.index && !s.before
                                  : s.id == stream.id && s.type == stream.codecpar->codec_type);
  });
  return entry->second = found != streams_.end()  ? &*found
                         : stream.index >= added_ ? going_on_as(container, stream)
                                                  : nullptr;
}

// Returns the stream that no list has any more where this one begins, in an input that is read
// once.
LateStreams::Stream* LateStreams::going_on_as(AVFormatContext& container, const AVStream& stream) {
  const auto listed = [&](int index) {
    return av_find_program_from_stream(&container, nullptr, index) != nullptr;
  };
  if (!listed(stream.index)) return nullptr;
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVStream& other = *container.streams[i];
    const bool same = other.codecpar->codec_type == stream.codecpar->codec_type &&
                      other.codecpar->codec_id == stream.codecpar->codec_id;
    if (!same || listed(other.index)) continue;
    Stream* before = begun_[other.index];
    if (before ? before->ended : other.index >= added_) continue;
    if (!before) {
      before = begun_[other.index] = &streams_.emplace_back();
      before->place = other.index;
    }
    before->kept_by_demuxer = true;
    Stream& next = streams_.emplace_back();
    next.id = stream.id;
    next.type = stream.codecpar->codec_type;
    next.place = before->place;
    next.before = before;
    return &next;
  }
  return nullptr;
}

bool LateStreams::place(AVFormatContext& container, AVPacket& packet) {
  const AVStream& from = *container.streams[packet.stream_index];
  Stream* const stream = begun(container, from);
  if (!stream) return true;
  if (stream->ended) {
    lost_ += stream->kept_by_demuxer;
    return false;
  }
  const bool first = !std::exchange(stream->read, true);
  if (stream->place != from.index) {
    av_packet_rescale_ts(&packet, from.time_base, container.streams[stream->place]->time_base);
    packet.stream_index = stream->place;
  }
  if (!first || !stream->before) return true;
  begin(*stream, packet);
  return false;
}

void LateStreams::begin(Stream& stream, AVPacket& first) {
  Stream& before = *stream.before;
  before.ended = true;
  for (const auto& [number, kept] : before.ending) {
    if (!before.read || number < stream.begins_as) continue;
    next_.push_back(share_packet(*kept));
    next_.back()->stream_index = stream.place;
  }
  next_.push_back(make_packet());
  av_packet_move_ref(next_.back().get(), &first);
}

bool LateStreams::take_next(AVPacket& packet) {
  if (next_.empty()) return false;
  av_packet_move_ref(&packet, next_.front().get());
  next_.pop_front();
  return true;
}

void LateStreams::restart() {
  begun_.clear();
  next_.clear();
  for (Stream& stream : streams_) stream.read = stream.ended = false;
}

}  // namespace vidconv
