// A container that libavformat writes: the video encoded, all other streams copied.
#include <fmt/format.h>

#include <utility>

#include "pipeline/copies.h"
#include "pipeline/encoder.h"
#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

class FileSink final : public Sink {
 public:
  FileSink(const std::string& output, const SinkOptions& options, const Source& source)
      : notify_(options.notify),
        lose_(options.lose ? options.lose : options.notify),
        output_(output),
        file_(output == "-"
                  ? nullptr
                  : std::make_unique<PartialFile>(output, options.overwrite, options.input)),
        format_(choose_container(output, options)),
        encoder_(choose_encoder(format_, options, source.video()), source.video(), options,
                 format_.flags & AVFMT_GLOBALHEADER),
        time_base_(source.video().time_base),
        muxer_(format_, output, notify_, lose_),
        copies_(muxer_) {
    if (source.container())
      add_streams(*source.container(), source.video_stream(), source.video());
    else
      add_video(nullptr, source.video());
    if (output == "-") {
      pipe_.emplace(output, options);
      muxer_.begin(std::make_unique<PipeOutput>(pipe_->writer()));
    } else {
      muxer_.begin(file_->path());
    }
  }

  void write(Frame frame) override {
    ++written_;
    encoder_.write(std::move(frame), [this](AVPacket& packet) { mux_video(packet); });
  }

  void copy(PacketPtr packet) override { copies_.write(*packet); }

  void cancel() override {
    if (pipe_) pipe_->cancel();
  }

  void finish() override {
    if (written_ == 0)  // some containers come out broken then
      throw Error(Fault::output, "cannot write the output", output_, "there is no frame for it");
    encoder_.finish([this](AVPacket& packet) { mux_video(packet); });
    if (encoder_.packets() != written_)
      throw Error(Message::unaccounted, "the encoder lost frames", encoder_.codec().name,
                  fmt::format("{} went in, {} came out", written_, encoder_.packets()));
    muxer_.finish();
    copies_.check_written();
    if (muxer_.written(*video_) != written_)
      throw Error(Message::unaccounted, "frames were lost on the way to the output", output_,
                  fmt::format("{} went in, {} were written", written_, muxer_.written(*video_)));
    if (file_) file_->commit();
  }

  std::int64_t frames() const override { return muxer_.written(*video_); }
  std::string description() const override { return encoder_.description() + ", " + format_.name; }
  std::map<int, CopyAccount> copies() const override { return copies_.accounts(); }
  std::int64_t bytes() const override { return muxer_.bytes(); }

 private:
  void add_streams(const AVFormatContext& input, int video, const VideoInfo& info) {
    for (unsigned i = 0; i < input.nb_streams; ++i) {
      const AVStream& stream = *input.streams[i];
      if (stream.index == video)
        add_video(&stream, info);
      else
        copies_.add(stream, format_);
    }
    if (!copies_.converted().empty())
      notify(notify_, Message::converted,
             fmt::format("{} holds these streams in another form, converted: {}", format_.name,
                         copies_.converted()));
    if (!copies_.left_out().empty())
      notify(lose_, Message::left_out,
             fmt::format("{} cannot hold these streams, left out: {}", format_.name,
                         copies_.left_out()));
    copy_description(input, muxer_.container());
    std::map<int, int> streams = copies_.streams();
    streams[video] = video_->index;
    copy_programs(input, streams, muxer_.container());
  }

  void add_video(const AVStream* from, const VideoInfo& info) {
    video_ = &muxer_.add_stream();
    muxer_.set_leader(*video_);
    check_av(avcodec_parameters_from_context(video_->codecpar, &encoder_.context()),
             Fault::internal, "out of memory");
    const bool by_rate = has_constant_rate(format_) && info.frame_rate.num > 0;
    video_->time_base = by_rate ? av_inv_q(info.frame_rate) : info.time_base;
    if (by_rate && !info.steady)
      notify(lose_, Message::not_held,
             std::string(format_.name) +
                 " cannot hold a variable frame rate: times are rounded to it");
    video_->avg_frame_rate = info.frame_rate;
    video_->sample_aspect_ratio = info.sample_aspect;
    if (!from) return;
    video_->disposition = from->disposition;
    copy_tags(*from, format_, *video_);
    av_dict_set(&video_->metadata, "encoder", nullptr, 0);
    copy_picture_side_data(*from, *video_);
    set_hdr(info.hdr, *video_);
    name_lost_side_data();
  }

  // Side data that neither the container nor the codec keeps.
  void name_lost_side_data() {
    const AVCodecID codec = encoder_.codec().id;
    const bool codec_tells_hdr = codec == AV_CODEC_ID_HEVC;
    std::string lost;
    for (const AVPacketSideDataType type : picture_side_data(*video_)) {
      const bool hdr =
          type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
      if (can_carry(format_, type) || (hdr && codec_tells_hdr)) continue;
      lost += (lost.empty() ? "" : ", ") + std::string(av_packet_side_data_name(type));
    }
    if (!lost.empty())
      notify(lose_, Message::not_held,
             fmt::format("{} cannot hold of the video: {}", format_.name, lost));
  }

  void mux_video(AVPacket& packet) { muxer_.write(packet, time_base_, *video_); }

  const Notify notify_, lose_;
  const std::string output_;
  // Where it goes: one of the two. Outlives the muxer, which writes to it.
  const std::unique_ptr<PartialFile> file_;
  std::optional<ByteOutput> pipe_;
  const AVOutputFormat& format_;
  Encoder encoder_;
  const AVRational time_base_;
  Muxer muxer_;
  Copies copies_;
  AVStream* video_ = nullptr;
  std::int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_file_sink(const std::string& output, const SinkOptions& options,
                                     const Source& source) {
  return std::make_unique<FileSink>(output, options, source);
}

}  // namespace vidconv
