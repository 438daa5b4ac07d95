// Decodes one video stream of a container that libavformat reads, and hands on the others' packets.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "pipeline/base/url.h"
#include "pipeline/decode/decoder_choice.h"
#include "pipeline/demux/container_input.h"
#include "pipeline/demux/corrupt_packets.h"
#include "pipeline/demux/expected_frames.h"
#include "pipeline/demux/frame_lookahead.h"
#include "pipeline/demux/frame_times.h"
#include "pipeline/demux/missed_streams.h"
#include "pipeline/demux/start_search.h"
#include "pipeline/demux/still_images.h"
#include "pipeline/demux/stream_video.h"
#include "pipeline/demux/truncation_check.h"
#include "pipeline/source/picture_fitter.h"
#include "pipeline/source/segment_source.h"
#include "pipeline/source/source_kinds.h"
#include "pipeline/source/stream_statistics.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t unknown_time = AV_NOPTS_VALUE;

class ContainerSource final : public Source {
 public:
  ContainerSource(const std::string& url, std::unique_ptr<ByteReader> reader,
                  const SourceOptions& options)
      : url_(url),
        options_(options),
        input_(url, std::move(reader), options),
        part_(input_range(input_.container(), options)) {
    search_.emplace(input_, part_.start);
    if (part_.cut && part_.seeks) search_->go_back();
    begin();
    while (!begin_decoding()) {
      search_->go_back();
      begin();
    }
    if (options_.copies_only) leave_out_frames();
  }

  const VideoInfo& video() const override { return info_; }
  UnreadContainer container() const override { return {input_.container(), begun_}; }
  int video_stream() const override { return stream_->index; }
  bool has_manifest() const override { return input_.has_manifest(); }
  bool on_device() const override { return decoder_->on_device(); }
  Damage damage() const override {
    Damage damage = damage_;
    const bool ours = !options_.video_only && input_.error_count() > 0;
    damage.errors = errors() - errors_before_;
    damage.packets += input_.lost();
    damage.first_error = ours ? input_.errors().first() : decoder_->first_error();
    if (damage.errors == 0) damage.first_error.clear();
    return damage;
  }
  std::vector<PacketStatistics> accounts() const override {
    std::vector<PacketStatistics> all = accounts_->without(ready_);  // where it was interrupted
    all.at(static_cast<std::size_t>(stream_->index)).frames_unused +=
        static_cast<std::int64_t>(ahead_->waiting());
    if (stretches_) stretches_->take_account(all.at(static_cast<std::size_t>(stream_->index)));
    return all;
  }
  std::size_t memory() const override {
    return decoder_->memory() + (fitter_ ? fitter_->memory() : 0) +
           (stretches_ ? stretches_->memory() : 0);
  }

  void cancel() override {
    input_.cancel();
    decoder_->cancel();
    if (stretches_) stretches_->cancel();
  }

  bool takes_order() override { return survey({}); }
  bool survey(const SeePacket& see) override {
    if (!may_be_in_stretches()) return false;
    const auto& first = std::get<Frame>(*std::ranges::find_if(
        ready_, [](const Item& item) { return std::holds_alternative<Frame>(item); }));
    stretch_times_ =
        times_for_stretches(url_, options_, *this, input_.container(), first.av().pts, see);
    return stretch_times_ != nullptr;
  }
  std::shared_ptr<const std::vector<std::int64_t>> times() const override { return stretch_times_; }
  void set_order(std::shared_ptr<FrameOrder> order) override {
    leave_out_frames();
    stretches_ = std::make_unique<SegmentSource>(SegmentSource::Options{
        .open =
            [this](const SourceOptions& options) {
              return std::make_unique<ContainerSource>(url_, nullptr, options);
            },
        .source = options_,
        .video = info_,
        .on_device = on_device(),
        .times = stretch_times_,
        .order = std::move(order),
        .container = input_.container(),
        .next_packet = [this] { return next_ready(); }});
  }
  bool has_lost_order() const override { return stretches_ && stretches_->has_failed(); }

  std::optional<Item> next() override {
    begun_ = true;
    return stretches_ ? stretches_->next() : next_ready();
  }

 private:
  // Returns whether it is a file of which any place can be read, and nobody wants less than all of
  // it.
  bool may_be_in_stretches() const {
    const AVIOContext* io = input_.container().pb;
    return !is_url(url_) && io && (io->seekable & AVIO_SEEKABLE_NORMAL) && !options_.interval &&
           !options_.video_only && !options_.copies_only && !options_.low_delay &&
           !options_.frames && !options_.copy_times && !info_.of_pictures && !damage().any() &&
           !ready_.empty() && std::holds_alternative<Frame>(ready_.back());
  }

  // Returns the next item of an input that is read from beginning to end; without frames if these
  // are left out.
  std::optional<Item> next_ready() {
    if (ready_.empty()) produce();
    if (options_.strict) refuse_damage(damage(), input_.name());
    if (ready_.empty() || input_.stopped()) return std::nullopt;
    Item item = std::move(ready_.front());
    ready_.pop_front();
    accounts_->hand_on(item);
    return item;
  }

  void find_video() {
    AVFormatContext& container = input_.container();
    stream_ = &choose_video(container, *options_.video, input_.name());
    input_.check_size(*stream_->codecpar);
    // The others' times may have to be known.
    if (!options_.video_only || (container.iformat->flags & AVFMT_TS_DISCONT)) return;
    for (unsigned i = 0; i < container.nb_streams; ++i)
      if (container.streams[i] != stream_) container.streams[i]->discard = AVDISCARD_ALL;
  }

  // Begins as if nothing had been read yet.
  void begin() {
    find_video();
    decoder_ = make_decoder(*stream_,
                            {.threads = options_.threads,
                             .max_pixels = options_.max_pixels,
                             .low_delay = options_.low_delay,
                             .memory = options_.memory,
                             .notify = options_.notify,
                             .nvdec = nullptr},
                            options_.nvdec);
    arrivals_.emplace(input_.container(), *stream_, options_.video_only);
    times_.emplace(*stream_, options_.notify, has_asked_rate());
    ahead_.emplace(FrameLookahead::Options{
        .origin = time_of_start(),
        .patient = !options_.low_delay && !decoder_->on_device(),
        .has_times = !(input_.container().iformat->flags & AVFMT_NOTIMESTAMPS),
        .notify = options_.notify});
    accounts_.emplace(input_.container(), *stream_);
    missed_.emplace(input_.container(), *stream_, options_.video_only ? Notify() : loss());
    at_end_of_input_ = false;
    marks_.emplace(std::string_view(input_.container().iformat->name) == "mpegts");
    ready_.clear();
    damage_ = {};
    if (part_.cut) forget_damage();  // damage at the beginning may not be of the range
    video_done_ = draining_ = at_end_ = false;
    drain_failures_ = 0;
  }

  // Decodes until the picture is known for certain, so that nobody gets a source without one;
  // throws if the input was interrupted before. Returns false if this place is too late in the
  // input.
  bool begin_decoding() {
    while (info_.width == 0 && !at_end_ && !search_->too_late()) step();
    if (info_.width > 0) return true;
    input_.refuse_stopped();
    search_->end();
    if (search_->too_late()) return false;
    if (damage_.any() || !part_.cut) {
      const std::string still = unread_still(input_.bytes().beginning);
      throw Error(Fault::input, "cannot decode any frame of", input_.name(),
                  !still.empty()              ? still
                  : damage_.truncated.empty() ? "its video data makes no sense"
                                              : damage_.truncated);
    }
    throw Error(MessageKind::no_frame, "cannot start in", input_.name(), "it ends before that time",
                "choose an earlier `start`");
  }

  std::int64_t errors() const {
    return decoder_->errors() + (options_.video_only ? 0 : input_.error_count());
  }

  void forget_damage() {
    damage_ = {};
    errors_before_ = errors();
  }

  void leave_out_frames() {
    std::erase_if(ready_, [](const Item& item) { return std::holds_alternative<Frame>(item); });
    ahead_->clear();
    leaves_out_ = true;
  }

  void produce() {
    while (ready_.empty() && !at_end_ && !input_.stopped()) step();
  }

  // Takes one frame out of the decoder, or one packet into it or past it.
  void step() {
    if (!video_done_ && !leaves_out_) {
      FramePtr frame = std::move(spare_);
      const VideoDecoder::Result result = decoder_->receive(frame);
      if (result == VideoDecoder::Result::done) return take_frame(std::move(frame));
      spare_ = std::move(frame);
      if (result == VideoDecoder::Result::damaged) {
        ++damage_.packets;
        ++accounts_->filtered().failed;
        if (!draining_ || ++drain_failures_ < most_drain_failures) return;
      }
      if (draining_) {
        ahead_->end();
        take_timed_frames();
        name_missing_pictures();
        return finish_video();
      }
    }
    read_packet();
  }

  void read_packet() {
    PacketPtr packet = make_packet();
    const int code = input_.read(*packet);
    if (code < 0) return end_of_packets(code);
    const AVStream& stream = *input_.container().streams[packet->stream_index];
    // Some were read before they could be refused.
    if (options_.video_only && &stream != stream_) return;
    arrivals_->count(*packet);
    PacketStatistics& account = accounts_->of(packet->stream_index);
    ++account.read;
    if (video_done_ && packet->dts != unknown_time &&
        av_rescale_q(packet->dts, stream.time_base, AV_TIME_BASE_Q) > part_.end + AV_TIME_BASE)
      at_end_ = true;
    missed_->see(stream, *packet);
    const bool marked = packet->flags & AV_PKT_FLAG_CORRUPT;
    count_marked(stream, marks_->take(stream.index, marked, input_.follows(), input_.broken()));
    if (&stream != stream_) return take_packet(std::move(packet), stream);
    if (leaves_out_ && packet->pts != unknown_time &&
        av_rescale_q(packet->pts, stream.time_base, AV_TIME_BASE_Q) >= part_.end)
      video_done_ = true;
    if (video_done_ || leaves_out_ || !search_->takes(*packet, stream.time_base)) {
      ++account.outside;
      return;
    }
    // An empty packet says "the same again", and decoders take none.
    const bool again = packet->size == 0 && packet->side_data_elems == 0;
    const VideoDecoder::Result result =
        again ? VideoDecoder::Result::done : decoder_->send(packet.get());
    if (result == VideoDecoder::Result::done) {
      ++account.decoded;
      if ((packet->flags & AV_PKT_FLAG_DISCARD) || packet->size == 0) ++account.hidden;
    }
    if (result != VideoDecoder::Result::damaged) return;
    ++account.refused;
    ++damage_.packets;
  }

  // Returns ticks of the video.
  std::int64_t time_of_start() const {
    const std::int64_t start = input_.container().start_time;
    return start == unknown_time ? 0 : av_rescale_q(start, AV_TIME_BASE_Q, stream_->time_base);
  }

  void count_marked(const AVStream& stream, std::int64_t packets) {
    if (&stream == stream_) {
      damage_.packets += packets;
      return;
    }
    accounts_->of(stream.index).marked += packets;
    damage_.marked += packets;
  }

  void end_of_packets(int code) {
    for (const auto& [stream, packets] : marks_->rest())
      count_marked(*input_.container().streams[stream], packets);
    if (code != AVERROR_EOF && !input_.stopped()) {
      if (info_.width == 0) input_.refuse_index_behind(code);
      damage_.truncated = why_it_stopped(code);
    }
    if (code == AVERROR_EOF && !input_.stopped() && !at_end_of_input_) {
      at_end_of_input_ = true;
      if (input_.was_cut())
        damage_.truncated = "the server's answer ends before the last of its chunks";
    }
    if (leaves_out_ && !input_.stopped() && !part_.cut && damage_.truncated.empty()) judge_end();
    if (video_done_ || leaves_out_ || input_.stopped()) {
      at_end_ = true;
      return;
    }
    if (draining_) return;
    if (damage_.truncated.empty()) damage_.truncated = missed_->rest_of_video();
    if (!part_.cut && damage_.truncated.empty()) judge_end();
    decoder_->send(nullptr);
    draining_ = true;
  }

  std::string why_it_stopped(int code) const {
    if (code == AVERROR(ETIMEDOUT) && options_.timeout > 0)
      return fmt::format("nothing came for {:g} s", options_.timeout);
    const std::string_view scheme = scheme_of(input_.name());
    // FFmpeg says this of these however the other end has gone.
    if (code == AVERROR(EIO) && (scheme == "srt" || scheme.starts_with("rtmp")))
      return fmt::format("the connection has ended, and {} does not tell a goodbye from a loss",
                         scheme);
    return "reading stopped with: " + av_message(code);
  }

  void judge_end() {
    const FileEnding ending = judge_ending(input_.container().iformat->name, input_.bytes());
    damage_.truncated = arrivals_->missing(ending);
    if (ending.known) return;
    const std::string less = arrivals_->less_than_announced();
    if (!less.empty())
      notify(options_.notify, MessageKind::ended_early,
             fmt::format("the header of the input announces more: {}, as a live stream may", less));
  }

  // Some decoders drop pictures without a word: before the first key frame, where the size changes.
  void name_missing_pictures() {
    PacketStatistics& a = accounts_->filtered();
    a.without_picture = std::max<std::int64_t>(0, a.decoded - a.failed - a.hidden - a.frames);
    // A packet may be a field, or a picture that only others refer to.
    const bool one_each =
        stream_->codecpar->codec_id != AV_CODEC_ID_VP8 && info_.field_order <= AV_FIELD_PROGRESSIVE;
    if (a.without_picture > 0 && one_each)
      notify(
          options_.notify, MessageKind::no_picture,
          fmt::format("{} packets of the video gave no picture, and the decoder does not say why",
                      a.without_picture));
  }

  void finish_video() {
    video_done_ = true;
    accounts_->filtered().frames_outside += static_cast<std::int64_t>(ahead_->waiting());
    ahead_->clear();
    if (draining_ || input_.container().nb_streams == 1 || options_.video_only) at_end_ = true;
  }

  void take_frame(FramePtr frame) {
    PacketStatistics& account = accounts_->filtered();
    ++account.frames;
    const FrameTimes::Shown shown = times_->find(*frame, frame_rate());
    if (shown.pts == unknown_time && !search_->begun()) {  // nobody knows when it is shown
      ++account.frames_outside;
      return;
    }
    ahead_->add(std::move(frame), shown);
    take_timed_frames();
  }

  void take_timed_frames() {
    while (!video_done_ && !search_->too_late()) {
      std::optional<TimedFrame> next = ahead_->take();
      if (!next) return;
      take_timed_frame(std::move(next->frame), next->shown);
    }
  }

  void take_timed_frame(FramePtr frame, const FrameTimes::Shown& shown) {
    PacketStatistics& account = accounts_->filtered();
    const std::int64_t time = av_rescale_q(shown.pts, stream_->time_base, AV_TIME_BASE_Q);
    const bool whole = !frame->decode_error_flags && !(frame->flags & AV_FRAME_FLAG_CORRUPT);
    if (info_.width == 0) part_.begin_no_later_than(time);
    if (part_.cut && info_.width == 0 && search_->judge(time, whole, damage().any()))
      forget_damage();
    if (search_->too_late() || part_.begins_after(time)) {
      ++account.frames_outside;
      return;
    }
    if (info_.width == 0) describe(*frame);
    if (time >= part_.end) {
      ++account.frames_outside;
      return finish_video();
    }
    frame = fitter_->fit(std::move(frame), count_, decoder_->on_device());
    if (stream_->codecpar->codec_id == AV_CODEC_ID_HEVC) set_interlaced(*frame, false, false);
    if (!whole) ++damage_.frames;
    times_->set(*frame, shown, part_.offset(stream_->time_base), count_);
    ready_.emplace_back(Frame(std::move(frame), count_++,
                              decoder_->on_device() ? Frame::Memory::device : Frame::Memory::host));
    if (options_.frames && count_ == *options_.frames) {
      // Other streams go on until the last frame has been shown.
      part_.end = av_rescale_q(times_->end(), stream_->time_base, AV_TIME_BASE_Q);
      finish_video();
    }
  }

  // Returns who hears what the output cannot say, with other words than a sink's.
  Notify loss() const {
    if (!options_.strict) return options_.notify;
    return [](MessageKind, const std::string& lost) {
      throw Error(MessageKind::strict, "`strict`", "", lost, "without it the rest is kept");
    };
  }

  // Returns whether the user has said the rate of a bare stream, which may say another.
  bool has_asked_rate() const {
    return !options_.frame_rate.empty() &&
           !std::string_view(input_.container().iformat->name).starts_with("image2");
  }

  // Returns the nominal rate; 0 if unknown.
  AVRational frame_rate() const {
    if (info_.width > 0) return info_.frame_rate;
    if (has_asked_rate()) return frame_rate_of(options_.frame_rate).value();
    // Other rates are guessed from times, which may be those of fields.
    const bool is_bare = input_.container().iformat->flags & AVFMT_NOTIMESTAMPS;
    if (is_bare && stream_->avg_frame_rate.num > 0) return stream_->avg_frame_rate;
    return av_guess_frame_rate(&input_.container(), stream_, nullptr);
  }

  void take_packet(PacketPtr packet, const AVStream& stream) {
    if (part_.take(*packet, stream))
      ready_.emplace_back(std::move(packet));
    else
      ++accounts_->of(packet->stream_index).outside;
  }

  void describe(const AVFrame& frame) {
    const AVRational rate = frame_rate();
    info_ = video_info_of(input_.container(), *stream_, frame);
    if (has_asked_rate() || (input_.container().iformat->flags & AVFMT_NOTIMESTAMPS)) {
      info_.frame_rate = rate;
      info_.steady |= has_asked_rate();
    }
    const Expected expected =
        expect(input_.container(), *stream_, part_, info_.frame_rate, options_.frames);
    info_.frames = expected.frames;
    info_.frames_are_exact = expected.exact;
    info_.seconds = expected.seconds;
    info_.loops = input_.loops();
    info_.clock = clock_of(input_.container(), part_, info_.time_base, options_.frames_before);
    if (options_.interval) info_ = options_.interval->video;
    fitter_.emplace(info_, stream_->codecpar->sample_aspect_ratio, options_.memory, options_.notify,
                    loss());
  }

  static constexpr int most_drain_failures = 1000;  // more than the packets that a decoder can hold

  const std::string url_;
  const SourceOptions options_;
  ContainerInput input_;
  InputRange part_;  // its end is moved to where the wanted frames end
  AVStream* stream_ = nullptr;
  std::unique_ptr<VideoDecoder> decoder_;
  std::optional<TruncationCheck> arrivals_;
  VideoInfo info_;
  std::optional<PictureFitter> fitter_;
  std::optional<StartSearch> search_;
  std::optional<FrameTimes> times_;
  std::optional<FrameLookahead> ahead_;
  Damage damage_;
  std::optional<StreamStatistics> accounts_;
  std::optional<Marks> marks_;
  std::optional<MissedStreams> missed_;
  std::int64_t errors_before_ = 0;  // errors that are forgotten

  std::deque<Item> ready_;           // items for next() to hand out
  FramePtr spare_;                   // an empty frame for the decoder to fill
  std::int64_t count_ = 0;           // frames so far
  std::atomic<bool> begun_ = false;  // next() was called
  bool at_end_of_input_ = false;
  bool draining_ = false, video_done_ = false, at_end_ = false;
  bool leaves_out_ = false;  // frames are not wanted any more
  int drain_failures_ = 0;

  std::shared_ptr<const std::vector<std::int64_t>> stretch_times_;  // null until they are known
  std::unique_ptr<SegmentSource> stretches_;  // null where frames come in order of time
};

}  // namespace

std::unique_ptr<Source> open_container(const std::string& url, std::unique_ptr<ByteReader> reader,
                                       const SourceOptions& options) {
  return std::make_unique<ContainerSource>(url, std::move(reader), options);
}

}  // namespace vidconv
