// Writes a container with libavformat: the filtered videos are encoded, all other streams copied.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/av/container_metadata.h"
#include "pipeline/av/log_lines.h"
#include "pipeline/base/url.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/measure/measure_log.h"
#include "pipeline/sink/copies.h"
#include "pipeline/sink/gif.h"
#include "pipeline/sink/read_back.h"
#include "pipeline/sink/sink_kinds.h"

extern "C" {
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t flv_no_duration = 1 << 3;  // no_duration_filesize, by its number

// Holds a filtered video on its way into the container.
struct VideoOutput {
  VideoOutput(const InputVideo& video, const EncoderChoice& choice, const OutputPlan& plan)
      : from(video),
        encoder(make_encoder(choice, video.info, plan.options.encoder,
                             plan.container->flags & AVFMT_GLOBALHEADER, plan.options.notify,
                             plan.options.loss())) {}

  const InputVideo from;
  const std::unique_ptr<VideoEncoder> encoder;
  AVStream* stream = nullptr;  // the output's
  std::int64_t written = 0;    // frames
  std::int64_t held = 0;       // duration of the last coded picture
  std::int64_t empty = 0;      // empty packets, each a frame that repeats the one before
};

class FileSink final : public Sink {
 public:
  FileSink(const OutputPlan& plan, const InputInfo& input)
      : notify_(plan.options.notify),
        lose_(plan.options.loss()),
        output_(redacted(plan.output)),
        abandoned_(plan.options.abandoned),
        latency_(plan.options.latency),
        measure_(plan.options.encoder.measure),
        to_(plan.output, plan.options),
        format_(*plan.container),
        in_parts_(plan.options.encoder.shards.has_value()),
        muxer_(format_, output_, plan.options.muxer_options, notify_, lose_),
        trial_(format_, plan.output),
        copies_(muxer_, format_, plan.options.audio, trial_, lose_) {
    if (plan.options.copy_times) muxer_.keep_times();
    // Some containers make up unique ids, such as Matroska's for segments; joined shards give the
    // same bytes whoever joins them.
    if (in_parts_) muxer_.container().flags |= AVFMT_FLAG_BITEXACT;
    for (const InputVideo& video : input.videos)
      videos_.push_back(
          std::make_unique<VideoOutput>(video, plan.encoders.at(videos_.size()), plan));
    for (const auto& video : videos_) describe(*video, trial_.keep());
    if (const AVFormatContext* container = input.container.get())
      add_streams(*container);
    else
      add_video(*videos_[0], nullptr);
    if (copies_.misses_sound())
      notify(
          notify_, MessageKind::no_effect,
          "`audio` " + verbatim(plan.options.audio) + " changes nothing: the input has no sound");
    begin();
  }

  void write(Frame frame) override {
    VideoOutput& video = *videos_.at(frame.video());
    ++video.written;
    if (measure_) measure_->expect(frame.av().pts);
    video.encoder->write(std::move(frame), [&](AVPacket& packet) { mux(packet, video); });
  }

  // Shards come out in bursts, long after the packets beside them. Those wait for their turn, so
  // that the output is the same as with one encoder at a time.
  void copy(PacketPtr packet) override {
    if (!in_parts_) return copies_.write(*packet);
    note_time(*packet);
    waiting_.push_back(std::move(packet));
    for (const auto& video : videos_)
      video->encoder->others_came_to(copied_until_, [&](AVPacket& joined) { mux(joined, *video); });
  }

  void cancel() override { to_.cancel(); }

  void finish() override {
    for (const auto& video : videos_) finish(*video);
    if (is_gif()) set_last_delay(*videos_[0]);
    const bool left = frames_left() > 0;
    write_waiting(left ? last_ : std::nullopt);
    copies_.finish();
    muxer_.finish();
    copies_.check_written();
    copies_.name_lost_ends();
    for (const auto& video : videos_) check_written(*video);
    check_readable();
    to_.finish();
  }

  std::int64_t frames() const override {
    std::int64_t frames = 0;
    for (const auto& video : videos_) frames += written_of(*video);
    return frames;
  }
  std::string description() const override {
    std::string text;
    for (const auto& video : videos_) text += video->encoder->description() + ", ";
    return text + format_.name;
  }
  std::map<int, CopyStatistics> copies() const override {
    std::map<int, CopyStatistics> all = copies_.accounts();
    // If an interruption left out frames, the packets beside them are left out too.
    const bool left = frames_left() > 0;
    for (const PacketPtr& packet : waiting_) {
      CopyStatistics& account = all[packet->stream_index];
      ++(left ? account.left_out : account.copied);
    }
    return all;
  }
  std::int64_t bytes() const override { return muxer_.bytes(); }
  std::int64_t frames_left() const override {
    std::int64_t frames = 0;
    for (const auto& video : videos_) frames += video->encoder->frames_left();
    return frames;
  }
  std::int64_t frames_brought() const override {
    std::int64_t frames = 0;
    for (const auto& video : videos_) frames += video->encoder->frames_brought();
    return frames;
  }
  double seconds_brought() const override {
    double seconds = 0;
    for (const auto& video : videos_) seconds += video->encoder->seconds_brought();
    return seconds;
  }
  std::int64_t parts() const override {
    std::int64_t parts = 0;
    for (const auto& video : videos_) parts += video->encoder->parts_out();
    return parts;
  }

 private:
  // Packets wait neither for each other nor for a buffer to be full.
  void hand_on_at_once() {
    muxer_.set_default("flush_packets", 1);
    if (latency_ > 0)
      muxer_.set_default("max_interleave_delta",
                         std::max<std::int64_t>(1, std::llround(latency_ * AV_TIME_BASE)));
    const std::string_view format = format_.name;
    // A receiver then knows where a picture ends, without the next one.
    if (format == "mpegts") muxer_.set_default("omit_video_pes_length", 0);
    // The header cannot be rewritten later.
    if (format == "flv") muxer_.set_default("flvflags", flv_no_duration);
  }

  void begin() {
    const bool seeks = to_.seeks();
    if (latency_ > 0 || is_url(output_)) hand_on_at_once();
    try {
      muxer_.begin(std::make_unique<PipeOutput>(to_.writer(), seeks));
    } catch (const Error& error) {
      if (seeks || error.why().find(log_lines::wants_to_seek) == std::string::npos) throw;
      throw Error(MessageKind::output_unsuited,
                  is_url(output_) ? "cannot send" : "cannot write to a pipe", format_.name,
                  "it is not written from beginning to end",
                  "use `format` nut or matroska, which are");
    }
    for (const auto& video : videos_)
      if (loses_video(muxer_.container(), video->encoder->codec().id))
        throw Error(MessageKind::output_unsuited, "the container does not take the codec",
                    avcodec_get_name(video->encoder->codec().id),
                    "a transport stream of Blu-ray has no number for it",
                    "choose another `codec` or another ending of the output's name");
  }

  void finish(VideoOutput& video) {
    video.written += video.encoder->frames_brought();
    if (video.written == 0)  // some containers are broken then
      throw Error(Fault::output, "cannot write the output", output_, "there is no frame for it");
    video.encoder->finish([&](AVPacket& packet) { mux(packet, video); });
    video.written -= video.encoder->frames_left();
    if (video.encoder->frames_out() != video.written)
      throw Error(
          MessageKind::unaccounted, "the encoder lost frames", video.encoder->codec().name,
          fmt::format("{} went in, {} came out", video.written, video.encoder->frames_out()));
    name_empty(video);
  }

  // Theora's empty packets repeat the frame before. Many decoders make no frame of them.
  void name_empty(const VideoOutput& video) {
    if (video.empty > 0)
      notify(lose_, MessageKind::not_held,
             fmt::format("{} found {} of {} frames the same as the one before them, and {} is "
                         "empty: players show the one before for longer, programs that count "
                         "frames may find fewer",
                         video.encoder->codec().name, video.empty, video.written,
                         video.empty == 1 ? "that one" : "each of them"));
  }

  void check_written(const VideoOutput& video) const {
    const std::int64_t written = written_of(video);
    if (written != video.written)
      throw Error(MessageKind::unaccounted, "frames were lost on the way to the output", output_,
                  fmt::format("{} went in, {} were written", video.written, written));
  }

  void check_readable() {
    if (!to_.seeks() || !is_to_be_read_back(format_)) return;
    const VideoOutput& video = *videos_[0];
    const AVCodec& codec = video.encoder->codec();
    const std::string missed = missed_by_reader(muxer_.container(), codec.id, written_of(video));
    if (!missed.empty())
      throw Error(MessageKind::output_unwritable, "cannot write the output", output_,
                  fmt::format("{} in {}: {}", codec.name, format_.name, missed),
                  "use another `codec`, size or container");
  }

  // Returns how many frames are in the container.
  std::int64_t written_of(const VideoOutput& video) const {
    const std::int64_t packets = muxer_.written(*video.stream);
    return video.encoder->joins_frames() && packets == 1 ? video.encoder->frames_out() : packets;
  }

  static bool begins_before_zero(const AVFormatContext& input) {
    return (input.start_time != AV_NOPTS_VALUE && input.start_time < -AV_TIME_BASE / 2) ||
           std::ranges::any_of(std::span(input.streams, input.nb_streams), [](const AVStream* s) {
             return s->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
                    s->start_time != AV_NOPTS_VALUE && s->start_time < 0;
           });
  }

  void add_streams(const AVFormatContext& input) {
    if (is_matroska(format_) && begins_before_zero(input)) muxer_.hold_start();
    const bool videos_first = begins_with_video(format_);
    for (const auto& video : videos_)
      if (videos_first) add_video(*video, input.streams[video->from.stream]);
    for (unsigned i = 0; i < input.nb_streams; ++i) {
      const AVStream& stream = *input.streams[i];
      time_bases_[stream.index] = stream.time_base;
      const auto video = std::ranges::find_if(
          videos_, [&](const auto& v) { return v->from.stream == stream.index; });
      if (video == videos_.end()) {
        if (!keep_as_tag(stream) && !is_clock_of(input, stream)) copies_.add(stream);
      } else if (!videos_first) {
        add_video(**video, &stream);
      }
    }
    if (!copies_.converted().empty())
      notify(notify_, MessageKind::converted,
             fmt::format("{} holds these streams in another form, converted: {}", format_.name,
                         copies_.converted()));
    if (!copies_.left_out().empty())
      notify(lose_, MessageKind::left_out,
             fmt::format("{} cannot hold these streams, left out: {}{}", format_.name,
                         copies_.left_out(), copies_.instead()));
    if (!copies_.unknown().empty())
      notify(
          lose_, MessageKind::left_out,
          fmt::format("what these streams are was not found where the input begins, left out: {}; "
                      "of a file, not of a pipe or an address, it is looked for to the end",
                      copies_.unknown()));
    const VideoInfo& first = videos_[0]->from.info;
    copy_description(input, av_rescale_q(first.clock.offset, first.time_base, AV_TIME_BASE_Q),
                     muxer_.container());
    std::map<int, int> streams = copies_.streams();
    for (const auto& video : videos_) streams[video->from.stream] = video->stream->index;
    copy_programs(input, streams, muxer_.container());
    name_lost_words(input, streams);
  }

  // Returns whether it is GXF's timecode: a tag of the file, and a track
  // whose packets its demuxer does not give.
  static bool is_clock_of(const AVFormatContext& input, const AVStream& stream) {
    return input.iformat && std::string_view(input.iformat->name) == "gxf" &&
           stream.codecpar->codec_type == AVMEDIA_TYPE_DATA;
  }

  // Returns whether a track holds nothing but the video's first timecode, which the video has as a
  // tag: QuickTime's muxer then makes the track anew.
  bool keep_as_tag(const AVStream& stream) const {
    constexpr std::string_view key = "timecode";
    constexpr unsigned type = MKTAG('t', 'm', 'c', 'd');
    if (stream.codecpar->codec_tag != type || stream.nb_frames > 1 ||
        !holds_stream_tag(format_, key))
      return false;
    const auto time_of = [&](const AVStream& s) {
      const AVDictionaryEntry* tag = av_dict_get(s.metadata, key.data(), nullptr, 0);
      return std::string_view(tag ? tag->value : "");
    };
    const bool kept = !time_of(stream).empty() && std::ranges::any_of(videos_, [&](const auto& v) {
      return v->stream && time_of(*v->stream) == time_of(stream);
    });
    if (kept && !is_mov_family(format_))
      notify(
          notify_, MessageKind::converted,
          fmt::format(
              "{} has no timecode tracks: #{} (data, tmcd) becomes the tag timecode of the video",
              format_.name, stream.index));
    return kept;
  }

  void name_lost_words(const AVFormatContext& input, const std::map<int, int>& streams) {
    const std::string lost = words_without_place(input, streams, &format_);
    if (!lost.empty())
      notify(lose_, MessageKind::not_held, fmt::format("{} cannot hold: {}", format_.name, lost));
    if (std::string_view(format_.name) == "mpegts" &&
        av_dict_get(input.metadata, "title", nullptr, 0))
      notify(notify_, MessageKind::converted, "mpegts holds the title as the name of its service");
  }

  bool goes_by_rate(const VideoInfo& info) const {
    return has_constant_rate(format_) && info.frame_rate.num > 0;
  }

  void describe(const VideoOutput& video, AVStream& to) const {
    const VideoInfo& info = video.from.info;
    video.encoder->describe(*to.codecpar);
    to.time_base = goes_by_rate(info) ? av_inv_q(info.frame_rate) : info.time_base;
    to.avg_frame_rate = info.frame_rate;
    to.sample_aspect_ratio = info.sample_aspect;
  }

  void add_video(VideoOutput& video, const AVStream* from) {
    const VideoInfo& info = video.from.info;
    AVStream& to = muxer_.add_stream();
    video.stream = &to;
    muxer_.add_leader(to);
    describe(video, to);
    if (goes_by_rate(info) && !info.steady)
      notify(lose_, MessageKind::not_held,
             std::string(format_.name) +
                 " cannot hold a variable frame rate: times are rounded to it");
    set_loops(info);
    if (!from) return;
    to.disposition = from->disposition;
    copy_tags(*from, format_, to);
    av_dict_set(&to.metadata, "encoder", nullptr, 0);
    // WebM marks transparency beside the packets by this tag.
    const AVCodecID id = to.codecpar->codec_id;
    const bool alpha = (id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9) &&
                       to.codecpar->format == AV_PIX_FMT_YUVA420P;
    av_dict_set(&to.metadata, "alpha_mode", alpha ? "1" : nullptr, 0);
    if (info.turned) av_dict_set(&to.metadata, "rotate", nullptr, 0);
    copy_picture_side_data(*from, to, info.turned);
    // It is written in the place of names of colours, which the codec has too.
    if (is_mov_family(format_) && !side_data(to, AV_PKT_DATA_ICC_PROFILE).empty())
      check_av(av_opt_set(muxer_.container().priv_data, "movflags", "+prefer_icc", 0),
               Fault::internal, "cannot keep a profile of colours");
    if (!info.shown.is_upright() && side_data(to, AV_PKT_DATA_DISPLAYMATRIX).empty()) {
      const auto matrix = display_matrix(info.shown);  // for photographs
      set_side_data(to, AV_PKT_DATA_DISPLAYMATRIX, matrix.data(), sizeof matrix);
    }
    set_hdr(info.hdr, to);
    name_lost_side_data(video);
  }

  void name_orientation(const Orientation& shown) {
    notify(lose_, MessageKind::not_held,
           fmt::format("{} cannot hold how the video is turned: it will play {}", format_.name,
                       shown.is_upright() ? "as it is stored" : words_without(shown)));
  }

  // Reports side data that neither the container nor the codec keeps.
  void name_lost_side_data(const VideoOutput& video) {
    const bool codec_tells_hdr = video.encoder->codec().id == AV_CODEC_ID_HEVC;
    std::string lost;
    for (const AVPacketSideDataType type : picture_side_data(*video.stream)) {
      const bool hdr =
          type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
      if (can_carry(format_, type) || (hdr && codec_tells_hdr)) continue;
      if (type == AV_PKT_DATA_DISPLAYMATRIX) {
        name_orientation(video.from.info.shown);
        continue;
      }
      lost += (lost.empty() ? "" : ", ") + std::string(av_packet_side_data_name(type));
    }
    if (!lost.empty())
      notify(lose_, MessageKind::not_held,
             fmt::format("{} cannot hold of the video: {}", format_.name, lost));
  }

  bool is_gif() const { return std::string_view(format_.name) == "gif"; }

  // Makes an animation repeat as often as it did. FFmpeg counts repetitions for GIF, but plays for
  // APNG.
  void set_loops(const VideoInfo& info) {
    if (!info.loops) return;
    if (is_gif()) muxer_.set_default("loop", *info.loops);
    if (std::string_view(format_.name) == "apng")
      muxer_.set_default("plays", *info.loops == 0 ? 0 : std::max(0, *info.loops) + 1);
  }

  // Sets the last picture's delay: FFmpeg's muxer would repeat the one before.
  void set_last_delay(const VideoOutput& video) {
    constexpr std::int64_t longest = 65535;  // hundredths of a second
    const std::int64_t delay = av_rescale_q(video.held, video.from.info.time_base, {1, 100});
    if (delay > 0) muxer_.set_default("final_delay", std::min(delay, longest));
  }

  struct Moment {
    std::int64_t time;
    AVRational time_base;
  };

  void mux(AVPacket& packet, VideoOutput& video) {
    check_wanted(abandoned_);
    const AVRational time_base = video.from.info.time_base;
    last_ = Moment{packet.dts, time_base};
    write_waiting(last_);
    video.held = packet.duration;
    if (packet.size == 0) ++video.empty;
    if (std::exchange(begun_, true) == false && is_gif())
      if (const AVDictionaryEntry* comment =
              av_dict_get(muxer_.container().metadata, "comment", nullptr, 0))
        add_gif_comment(packet, comment->value);
    muxer_.write(packet, time_base, *video.stream);
  }

  void note_time(const AVPacket& packet) {
    const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    const auto time_base = time_bases_.find(packet.stream_index);
    if (time != AV_NOPTS_VALUE && time_base != time_bases_.end())
      copied_until_ =
          std::max(copied_until_, av_rescale_q(time, time_base->second, AV_TIME_BASE_Q));
  }

  // The packets that come before that moment, or all; with the frames that are decoded then they
  // are a tie, which libavformat decides.
  void write_waiting(std::optional<Moment> until) {
    for (; !waiting_.empty(); waiting_.pop_front()) {
      AVPacket& packet = *waiting_.front();
      const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
      const auto time_base = time_bases_.find(packet.stream_index);
      const bool timed = time != AV_NOPTS_VALUE && time_base != time_bases_.end();
      if (until && timed &&
          av_compare_ts(time, time_base->second, until->time, until->time_base) > 0)
        return;
      copies_.write(packet);
    }
  }

  const Notify notify_, lose_;
  const std::string output_;
  const std::atomic<bool>* const abandoned_;
  const double latency_;       // seconds; 0: none
  MeasureLog* const measure_;  // may be null
  ByteOutput to_;              // outlives the muxer
  const AVOutputFormat& format_;
  const bool in_parts_;
  std::deque<PacketPtr> waiting_;
  std::optional<Moment> last_;                        // the last video packet's
  std::int64_t copied_until_ = INT64_MIN / 2;         // microseconds, of packets beside it
  std::map<int, AVRational> time_bases_;              // by the source's streams
  std::vector<std::unique_ptr<VideoOutput>> videos_;  // as the source counts them
  Muxer muxer_;
  HeaderTrial trial_;
  Copies copies_;
  bool begun_ = false;  // a video's packet was written
};

}  // namespace

void choose_for_file(OutputPlan& plan, std::span<const InputVideo> videos) {
  plan.container = &choose_container(plan.output, plan.options.format);
  const EncoderOptions& asked = plan.options.encoder;
  const bool to_program = plan.output == "-" && asked.codec.empty() && asked.crf.empty() &&
                          asked.bitrate.empty() && asked.preset.empty() && asked.own.empty();
  for (const InputVideo& video : videos) {
    EncoderOptions options = asked;
    if (to_program) options.codec = codec_for_pipe(*plan.container, video.info);
    plan.encoders.push_back(choose_encoder(*plan.container, options, video.info));
  }
}

std::unique_ptr<Sink> open_file_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<FileSink>(plan, input);
}

}  // namespace vidconv
