// A container that libavformat writes: the video encoded, all other streams copied.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/container.h"
#include "pipeline/encoder.h"
#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

std::string describe(const AVStream& stream) {
  const char* type = av_get_media_type_string(stream.codecpar->codec_type);
  return fmt::format("#{} ({}, {})", stream.index, type ? type : "unknown",
                     avcodec_get_name(stream.codecpar->codec_id));
}

class FileSink final : public Sink {
 public:
  FileSink(const std::string& output, const SinkOptions& options, const Source& source)
      : notify_(options.notify),
        output_(output),
        file_(output, options.overwrite, options.input),
        format_(choose_container(output, options)),
        encoder_(choose_encoder(format_, options, source.video().codec), source.video(), options,
                 format_.flags & AVFMT_GLOBALHEADER),
        time_base_(source.video().time_base) {
    AVFormatContext* container = nullptr;
    check(avformat_alloc_output_context2(&container, &format_, nullptr, file_.path().c_str()));
    container_.reset(container);
    if (source.container())
      add_streams(*source.container(), source.video_stream(), source.video());
    else
      add_video(nullptr, source.video());
    const std::string url = "file:" + file_.path();
    check(avio_open2(&container_->pb, url.c_str(), AVIO_FLAG_WRITE, nullptr, nullptr));
    check(avformat_write_header(container_.get(), nullptr));
  }

  ~FileSink() override {
    if (container_) avio_closep(&container_->pb);
  }

  void write(Frame frame) override {
    ++written_;
    encoder_.write(std::move(frame), [this](AVPacket& packet) { mux_video(packet); });
  }

  void copy(PacketPtr packet) override {
    const auto it = copies_.find(packet->stream_index);
    if (it == copies_.end()) return;  // left out, and said so
    Copy& copy = it->second;
    av_packet_rescale_ts(packet.get(), copy.time_base, copy.to->time_base);
    packet->stream_index = copy.to->index;
    packet->pos = -1;
    straighten(copy.last_dts, *packet);
    check(av_interleaved_write_frame(container_.get(), packet.get()));
    ++copy.packets;
  }

  void finish() override {
    if (written_ == 0)  // some containers come out broken then
      throw Error(Fault::output, "cannot write the output", output_, "there is no frame for it");
    encoder_.finish([this](AVPacket& packet) { mux_video(packet); });
    if (encoder_.packets() != written_)
      throw Error(Fault::internal, "the encoder lost frames", encoder_.codec().name,
                  std::to_string(written_) + " went in, " + std::to_string(encoder_.packets()) +
                      " came out");
    check(av_write_trailer(container_.get()));
    check(avio_closep(&container_->pb));
    file_.commit();
  }

  std::int64_t frames() const override { return encoder_.packets(); }
  std::string description() const override { return encoder_.description() + ", " + format_.name; }
  std::map<int, std::int64_t> copied() const override {
    std::map<int, std::int64_t> packets;
    for (const auto& [index, copy] : copies_) packets[index] = copy.packets;
    return packets;
  }

 private:
  struct Copy {
    AVStream* to;
    AVRational time_base;  // of the packets that come
    std::optional<std::int64_t> last_dts = {};
    std::int64_t packets = 0;
  };

  int check(int code) const {
    return check_av(code, Fault::output, "cannot write the output", output_);
  }

  void add_streams(const AVFormatContext& input, int video, const VideoInfo& info) {
    std::string left_out;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
      const AVStream& stream = *input.streams[i];
      if (stream.index == video)
        add_video(&stream, info);
      else if (can_copy(format_, stream))
        add_copy(stream);
      else
        left_out += (left_out.empty() ? "" : ", ") + describe(stream);
    }
    if (!left_out.empty())
      notify(notify_,
             std::string(format_.name) + " cannot hold these streams, left out: " + left_out);
    copy_description(input, *container_);
  }

  AVStream& new_stream() {
    AVStream* stream = avformat_new_stream(container_.get(), nullptr);
    if (!stream) throw Error(Fault::internal, "out of memory", "", "");
    return *stream;
  }

  void add_video(const AVStream* from, const VideoInfo& info) {
    video_ = &new_stream();
    check(avcodec_parameters_from_context(video_->codecpar, &encoder_.context()));
    const bool by_rate = has_constant_rate(format_) && info.frame_rate.num > 0;
    video_->time_base = by_rate ? av_inv_q(info.frame_rate) : info.time_base;
    if (by_rate && !info.steady)
      notify(notify_, std::string(format_.name) +
                          " cannot hold a variable frame rate: times are rounded to it");
    video_->avg_frame_rate = info.frame_rate;
    video_->sample_aspect_ratio = info.sample_aspect;
    if (!from) return;
    video_->disposition = from->disposition;
    av_dict_copy(&video_->metadata, from->metadata, 0);
    av_dict_set(&video_->metadata, "encoder", nullptr, 0);
    copy_picture_side_data(*from, *video_);
    set_hdr(info.hdr, *video_);
  }

  void add_copy(const AVStream& from) {
    AVStream& to = new_stream();
    copy_stream_description(from, format_, to);
    copies_.emplace(from.index, Copy{.to = &to, .time_base = from.time_base});
  }

  void mux_video(AVPacket& packet) {
    av_packet_rescale_ts(&packet, time_base_, video_->time_base);
    packet.stream_index = video_->index;
    straighten(video_last_dts_, packet);
    check(av_interleaved_write_frame(container_.get(), &packet));
  }

  // Containers want growing times. Broken inputs do not always have them, and two times may become
  // one in a coarser time base.
  void straighten(std::optional<std::int64_t>& last_dts, AVPacket& packet) {
    if (packet.dts == AV_NOPTS_VALUE) return;
    const std::int64_t least =
        last_dts ? *last_dts + (format_.flags & AVFMT_TS_NONSTRICT ? 0 : 1) : packet.dts;
    if (packet.dts < least) {
      if (std::exchange(times_were_right_, false))
        notify(notify_, fmt::format("the times of output stream #{} do not grow: some are moved",
                                    packet.stream_index));
      packet.dts = least;
      if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, least);
    }
    last_dts = packet.dts;
  }

  const Notify notify_;
  const std::string output_;
  PartialFile file_;
  const AVOutputFormat& format_;
  Encoder encoder_;
  const AVRational time_base_;
  OutputPtr container_;
  AVStream* video_ = nullptr;
  std::optional<std::int64_t> video_last_dts_;
  std::map<int, Copy> copies_;  // by stream index of the source
  std::int64_t written_ = 0;
  bool times_were_right_ = true;
};

}  // namespace

std::unique_ptr<Sink> open_file_sink(const std::string& output, const SinkOptions& options,
                                     const Source& source) {
  if (output == "-")
    throw Error(Fault::usage, "cannot write to a pipe", options.format, "",
                "--format y4m and --format raw can be");
  return std::make_unique<FileSink>(output, options, source);
}

}  // namespace vidconv
