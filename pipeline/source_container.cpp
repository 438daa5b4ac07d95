// A container that libavformat reads: decodes one video stream, hands on the packets of the others.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "pipeline/arrivals.h"
#include "pipeline/container.h"
#include "pipeline/decoder_choice.h"
#include "pipeline/expected.h"
#include "pipeline/pipe_io.h"
#include "pipeline/source_kinds.h"
#include "pipeline/stopwatch.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

constexpr std::int64_t none = AV_NOPTS_VALUE;

class ContainerSource final : public Source {
 public:
  ContainerSource(const std::string& url, std::unique_ptr<ByteReader> reader,
                  const SourceOptions& options)
      : options_(options), name_(url.starts_with("file:") ? url.substr(5) : url) {
    if (reader) pipe_.emplace(std::move(reader));
    open(url);
    find_video();
    decoder_ = make_decoder(*stream_,
                            {.threads = options_.threads,
                             .memory = options_.memory,
                             .notify = options_.notify,
                             .nvdec = nullptr},
                            options_.nvdec);
    seek();
    decode_first();
  }

  const VideoInfo& video() const override { return info_; }
  const AVFormatContext* container() const override { return container_.get(); }
  int video_stream() const override { return stream_->index; }
  bool on_device() const override { return decoder_->on_device(); }
  Damage damage() const override {
    Damage damage = damage_;
    damage.errors = errors_.count() + decoder_->errors() - errors_before_;
    damage.first_error = errors_.count() > 0 ? errors_.first() : decoder_->first_error();
    if (damage.errors == 0) damage.first_error.clear();
    return damage;
  }
  std::vector<StreamAccount> accounts() const override {
    std::vector<StreamAccount> accounts = accounts_;
    for (const Item& item : ready_) {  // when the run was interrupted
      const PacketPtr* packet = std::get_if<PacketPtr>(&item);
      if (packet)
        ++accounts[static_cast<std::size_t>((*packet)->stream_index)].unused;
      else
        ++accounts[static_cast<std::size_t>(stream_->index)].frames_unused;
    }
    return accounts;
  }
  std::size_t memory() const override {
    return decoder_->memory() + (fitter_ ? fitter_->memory() : 0);
  }

  void cancel() override {
    cancelled_ = true;
    if (pipe_) pipe_->cancel();
    decoder_->cancel();
  }

  std::optional<Item> next() override {
    if (ready_.empty()) produce();
    if (options_.strict) refuse_damage(damage(), name_);
    if (ready_.empty() || stopped()) return std::nullopt;
    Item item = std::move(ready_.front());
    ready_.pop_front();
    if (const PacketPtr* packet = std::get_if<PacketPtr>(&item))
      ++account_of((*packet)->stream_index).handed_on;
    else
      ++account_of(stream_->index).frames_handed_on;
    return item;
  }

 private:
  bool stopped() const { return cancelled_ || (options_.interrupted && *options_.interrupted); }

  // Nothing has come for longer than the user wants to wait.
  bool late() const { return options_.timeout > 0 && seconds_since(heard_) > options_.timeout; }

  void open(const std::string& url) {
    AVFormatContext* context = avformat_alloc_context();
    if (!context) throw Error(Fault::internal, "out of memory", "", "");
    context->opaque = this;
    if (pipe_) context->pb = pipe_->context();
    context->interrupt_callback = {[](void* self) {
                                     const auto& source = *static_cast<ContainerSource*>(self);
                                     return static_cast<int>(source.stopped() || source.late());
                                   },
                                   this};
    heard_ = Clock::now();
    AVDictionary* image_options = nullptr;
    if (!pipe_ && is_numbered(name_))
      av_dict_set(&image_options, "start_number_range", "100000", 0);
    const int code = avformat_open_input(&context, url.c_str(), nullptr, &image_options);
    av_dict_free(&image_options);
    container_.reset(context);  // which libavformat has freed and set to null where it failed
    check(code);
    // libavformat takes any text for a terminal's recording, with a picture of its letters.
    if (std::string_view(container_->iformat->name) == "tty")
      throw Error(Fault::input, "cannot read the input", name_, "it is text, not a video");
    heard_ = Clock::now();
    check(avformat_find_stream_info(context, nullptr));
  }

  int check(int code) const {
    if (code < 0 && late()) throw_late();
    return check_av(code, Fault::input, "cannot read the input", name_);
  }

  [[noreturn]] void throw_late() const {
    throw Error(Message::input_silent, "cannot read the input", name_,
                fmt::format("nothing came for {:g} s", options_.timeout), "see --timeout");
  }

  void find_video() {
    const std::vector<int> found = video_streams(*container_);
    const auto wanted = static_cast<std::size_t>(options_.video);
    if (found.empty())
      throw Error(Message::no_video, "cannot filter", name_, "it has no video stream");
    if (wanted > found.size())
      throw Error(Message::no_video,
                  "cannot filter video stream " + std::to_string(options_.video) + " of", name_,
                  "it has " + std::to_string(found.size()), "--video counts from 1");
    stream_ = container_->streams[found[wanted - 1]];
    arrivals_.emplace(*container_, *stream_);
    account_of(static_cast<int>(container_->nb_streams) - 1);
  }

  void seek() {
    const auto microseconds = [](double s) { return static_cast<std::int64_t>(s * AV_TIME_BASE); };
    const std::int64_t origin = container_->start_time == none ? 0 : container_->start_time;
    part_.start = origin;
    if (options_.start) {
      part_.cut = true;
      part_.start += microseconds(*options_.start);
    }
    if (options_.duration) part_.end = part_.start + microseconds(*options_.duration);
    if (options_.frames == 0) part_.end = part_.start;
    // Where there is no way to seek, what comes before is decoded and dropped.
    if (part_.cut && part_.start > origin)
      av_seek_frame(container_.get(), -1, part_.start, AVSEEK_FLAG_BACKWARD);
  }

  // The picture is known for certain only when one was decoded.
  void decode_first() {
    while (info_.width == 0 && !at_end_) step();
    if (info_.width > 0) return;
    if (damage_.any() || !part_.cut)
      throw Error(Fault::input, "cannot decode any frame of", name_,
                  damage_.truncated.empty() ? "its video data makes no sense" : damage_.truncated);
    throw Error(Message::no_frame, "cannot start in", name_, "it ends before that time",
                "choose an earlier --start");
  }

  void produce() {
    while (ready_.empty() && !at_end_ && !stopped()) step();
  }

  // One frame out of the decoder, or one packet into it or past it.
  void step() {
    if (!video_done_) {
      FramePtr frame = std::move(spare_);
      const VideoDecoder::Result result = decoder_->receive(frame);
      if (result == VideoDecoder::Result::done) return take_frame(std::move(frame));
      spare_ = std::move(frame);
      if (result == VideoDecoder::Result::damaged) {
        ++damage_.packets;
        ++account_of(stream_->index).failed;
        if (!draining_ || ++drain_failures_ < most_drain_failures) return;
      }
      if (draining_) {
        name_missing_pictures();
        return finish_video();
      }
    }
    read_packet();
  }

  void read_packet() {
    PacketPtr packet = make_packet();
    heard_ = Clock::now();
    const int code = av_read_frame(container_.get(), packet.get());
    if (code < 0 && late()) throw_late();
    if (code < 0) return end_of_packets(code);
    const AVStream& stream = *container_->streams[packet->stream_index];
    arrivals_->count(*packet);
    StreamAccount& account = account_of(packet->stream_index);
    ++account.read;
    if (video_done_ && packet->dts != none &&
        av_rescale_q(packet->dts, stream.time_base, AV_TIME_BASE_Q) > part_.end + AV_TIME_BASE)
      at_end_ = true;
    if (&stream != stream_) return take_packet(std::move(packet), stream);
    if (packet->flags & AV_PKT_FLAG_CORRUPT) ++damage_.packets;
    if (video_done_) {
      ++account.outside;
      return;
    }
    const VideoDecoder::Result result = decoder_->send(packet.get());
    if (result == VideoDecoder::Result::done) {
      ++account.decoded;
      // An empty packet says "the same again".
      if ((packet->flags & AV_PKT_FLAG_DISCARD) || packet->size == 0) ++account.hidden;
    }
    if (result != VideoDecoder::Result::damaged) return;
    ++account.refused;
    ++damage_.packets;
  }

  void end_of_packets(int code) {
    if (code != AVERROR_EOF && !stopped())
      damage_.truncated = "reading stopped with: " + av_message(code);
    if (video_done_ || stopped()) {
      at_end_ = true;
      return;
    }
    if (draining_) return;
    if (!part_.cut && damage_.truncated.empty()) damage_.truncated = arrivals_->missing();
    decoder_->send(nullptr);
    draining_ = true;
  }

  // Some decoders drop pictures without a word: before the first key frame, where the size changes.
  void name_missing_pictures() {
    StreamAccount& a = account_of(stream_->index);
    a.without_picture = std::max<std::int64_t>(0, a.decoded - a.failed - a.hidden - a.frames);
    // A packet may be a field, or a picture that is for others to refer to.
    const bool one_each =
        stream_->codecpar->codec_id != AV_CODEC_ID_VP8 && info_.field_order <= AV_FIELD_PROGRESSIVE;
    if (a.without_picture > 0 && one_each)
      notify(
          options_.notify, Message::no_picture,
          fmt::format("{} packets of the video gave no picture, and the decoder does not say why",
                      a.without_picture));
  }

  void finish_video() {
    video_done_ = true;
    if (draining_ || container_->nb_streams == 1) at_end_ = true;
  }

  void take_frame(FramePtr frame) {
    StreamAccount& account = account_of(stream_->index);
    ++account.frames;
    std::int64_t pts = frame->best_effort_timestamp;
    if (pts == none) pts = next_pts_ == none ? 0 : next_pts_;
    const std::int64_t time = av_rescale_q(pts, stream_->time_base, AV_TIME_BASE_Q);
    if (part_.cut && time < part_.start) {
      ++account.frames_outside;
      return;
    }
    if (info_.width == 0) {
      describe(*frame);
      // What was wrong before the part is not the part's fault.
      if (part_.cut) errors_before_ = errors_.count() + decoder_->errors();
    }
    if (time >= part_.end) {
      ++account.frames_outside;
      return finish_video();
    }
    frame = fit(std::move(frame));
    if (frame->decode_error_flags || (frame->flags & AV_FRAME_FLAG_CORRUPT)) ++damage_.frames;

    pts -= offset(stream_->time_base);
    if (count_ > 0 && pts <= last_pts_) {
      if (std::exchange(time_was_right_, false))
        notify(options_.notify, Message::times_moved,
               "the times of the input's frames do not grow: from frame " + std::to_string(count_) +
                   " on some are moved");
      pts = last_pts_ + 1;
    }
    frame->pts = last_pts_ = pts;
    std::int64_t duration = frame_duration(*frame);
    if (duration <= 0 && info_.frame_rate.num > 0)
      duration = av_rescale_q(1, av_inv_q(info_.frame_rate), stream_->time_base);
    set_frame_duration(*frame, duration);
    next_pts_ = pts + offset(stream_->time_base) + duration;
    ready_.emplace_back(Frame(std::move(frame), count_++,
                              decoder_->on_device() ? Frame::Memory::device : Frame::Memory::host));
    if (options_.frames && count_ == *options_.frames) {
      // Other streams go on until the last frame has been shown.
      part_.end = av_rescale_q(next_pts_, stream_->time_base, AV_TIME_BASE_Q);
      finish_video();
    }
  }

  void take_packet(PacketPtr packet, const AVStream& stream) {
    if (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) {  // belongs to all times
      ready_.emplace_back(std::move(packet));
      return;
    }
    const std::int64_t by = offset(stream.time_base);
    const std::int64_t time = packet->pts != none ? packet->pts : packet->dts;
    if (time != none) {
      const std::int64_t at = av_rescale_q(time, stream.time_base, AV_TIME_BASE_Q);
      if ((part_.cut && at < part_.start) || at >= part_.end) {
        ++account_of(packet->stream_index).outside;
        return;
      }
    }
    if (packet->pts != none) packet->pts -= by;
    if (packet->dts != none) packet->dts -= by;
    ready_.emplace_back(std::move(packet));
  }

  // Containers may find streams on the way.
  StreamAccount& account_of(int stream) {
    for (auto i = static_cast<int>(accounts_.size()); i <= stream; ++i) {
      const AVStream& found = *container_->streams[i];
      const char* type = av_get_media_type_string(found.codecpar->codec_type);
      StreamAccount& account = accounts_.emplace_back();
      account.stream = i;
      account.type = type ? type : "unknown";
      account.codec = avcodec_get_name(found.codecpar->codec_id);
      account.filtered = &found == stream_;
    }
    return accounts_[static_cast<std::size_t>(stream)];
  }

  // What is subtracted from times, in `time_base`: nothing unless a start was asked for.
  std::int64_t offset(AVRational time_base) const {
    return part_.cut ? av_rescale_q(part_.start, AV_TIME_BASE_Q, time_base) : 0;
  }

  void describe(const AVFrame& frame) {
    const AVCodecParameters& parameters = *stream_->codecpar;
    // const_cast: libavformat's getters only read, but some versions do not say so.
    AVFrame* guess = const_cast<AVFrame*>(&frame);
    info_.format = find_format(static_cast<AVPixelFormat>(frame.format));
    info_.width = frame.width;
    info_.height = frame.height;
    info_.time_base = stream_->time_base;
    info_.frame_rate = av_guess_frame_rate(container_.get(), stream_, guess);
    info_.steady =
        info_.frame_rate.num > 0 && av_cmp_q(stream_->avg_frame_rate, stream_->r_frame_rate) == 0;
    info_.sample_aspect = av_guess_sample_aspect_ratio(container_.get(), stream_, guess);
    info_.field_order =
        known(parameters.field_order, static_cast<AVFieldOrder>(AV_FIELD_BT + 1), AV_FIELD_UNKNOWN);
    if (info_.field_order == AV_FIELD_UNKNOWN && is_interlaced(frame))
      info_.field_order = is_top_field_first(frame) ? AV_FIELD_TT : AV_FIELD_BB;
    info_.range = frame.color_range != AVCOL_RANGE_UNSPECIFIED
                      ? frame.color_range
                      : known(parameters.color_range, AVCOL_RANGE_NB, AVCOL_RANGE_UNSPECIFIED);
    info_.primaries = frame.color_primaries;
    info_.transfer = frame.color_trc;
    info_.matrix = frame.colorspace;
    info_.chroma_location = frame.chroma_location;
    info_.hdr = hdr_of(frame, *stream_);
    info_.codec = parameters.codec_id;
    info_.profile = parameters.profile;
    const Expected expected =
        expect(*container_, *stream_, part_, info_.frame_rate, options_.frames);
    info_.frames = expected.frames;
    info_.frames_are_exact = expected.exact;
    info_.seconds = expected.seconds;
  }

  // The frame in the size and format of the first one: encoders cannot change, and neither can most
  // players.
  FramePtr fit(FramePtr frame) {
    if (frame->width == info_.width && frame->height == info_.height &&
        frame->format == info_.format->id)
      return frame;
    if (decoder_->on_device())
      throw Error(Fault::device, "cannot scale on the device", "",
                  "the picture changes in the middle of the stream", "use --decoder cpu");
    if (!fitter_) {
      const auto picture = [](int width, int height, const char* format) {
        return fmt::format("{}x{} {}", width, height, format);
      };
      const auto changed = static_cast<AVPixelFormat>(frame->format);
      notify(options_.notify, Message::picture_changes,
             fmt::format("the picture changes at frame {} from {} to {}: scaled to the first",
                         count_, picture(info_.width, info_.height, info_.format->name.c_str()),
                         picture(frame->width, frame->height, av_get_pix_fmt_name(changed))));
      fitter_.emplace(*info_.format, info_.range, info_.matrix, options_.memory);
      fitter_->scale_to(info_.width, info_.height);
    }
    return fitter_->convert(*frame);
  }

  static constexpr int most_drain_failures = 1000;  // more than a decoder can hold packets

  const SourceOptions options_;
  const std::string name_;  // for messages
  std::atomic<bool> cancelled_ = false;
  std::optional<PipeInput> pipe_;
  AvErrors errors_{this};
  InputPtr container_;
  AVStream* stream_ = nullptr;
  std::unique_ptr<VideoDecoder> decoder_;
  std::optional<Arrivals> arrivals_;
  VideoInfo info_;
  Part part_;
  Damage damage_;
  std::vector<StreamAccount> accounts_;  // by index of the stream
  std::int64_t errors_before_ = 0;

  std::optional<Converter> fitter_;  // for pictures that are unlike the first
  Clock::time_point heard_;          // when the input was last asked for something

  std::deque<Item> ready_;  // what next() hands out
  FramePtr spare_;          // an empty frame for the decoder to fill
  std::int64_t count_ = 0;  // frames so far
  std::int64_t last_pts_ = none;
  std::int64_t next_pts_ = none;  // in the container's time
  bool time_was_right_ = true;
  bool draining_ = false, video_done_ = false, at_end_ = false;
  int drain_failures_ = 0;
};

}  // namespace

std::vector<int> video_streams(const AVFormatContext& container) {
  std::vector<int> found;
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVStream& stream = *container.streams[i];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
        !(stream.disposition & AV_DISPOSITION_ATTACHED_PIC))
      found.push_back(stream.index);
  }
  return found;
}

std::unique_ptr<Source> open_container(const std::string& url, std::unique_ptr<ByteReader> reader,
                                       const SourceOptions& options) {
  return std::make_unique<ContainerSource>(url, std::move(reader), options);
}

}  // namespace vidconv
