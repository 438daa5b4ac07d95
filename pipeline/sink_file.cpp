// A container that libavformat writes: the video encoded, all other streams copied.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/encoder.h"
#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

// The container that the user means; by the ending of the name unless said otherwise.
const AVOutputFormat& choose_container(const std::string& output, const SinkOptions& options) {
  const bool by_name = options.format.empty();
  const AVOutputFormat* container = by_name
                                        ? av_guess_format(nullptr, output.c_str(), nullptr)
                                        : av_guess_format(options.format.c_str(), nullptr, nullptr);
  if (!by_name && !container)
    throw Error(Fault::usage, "there is no container", options.format, "",
                "'ffmpeg -muxers' lists them");
  if (output == "-")
    throw Error(Fault::usage, "cannot write to a pipe", options.format, "",
                "--format y4m and --format raw can be");
  if (!container)
    throw Error(Fault::output, "cannot tell the container from the name", output, "",
                "use an ending such as .mp4 or .mkv, or --format");
  if (container->flags & AVFMT_NOFILE)
    throw Error(Fault::output, "cannot write", output,
                std::string(container->long_name) + " is not written to one file",
                "use an ending such as .mp4 or .mkv");
  return *container;
}

// Whether the container can hold a stream as it is.
bool takes(const AVOutputFormat& container, const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const int answer = avformat_query_codec(&container, parameters.codec_id, FF_COMPLIANCE_NORMAL);
  if (answer >= 0) return answer > 0;
  switch (parameters.codec_type) {  // it does not say; go by what it holds by default
    case AVMEDIA_TYPE_VIDEO:
      return container.video_codec != AV_CODEC_ID_NONE &&
             container.audio_codec != AV_CODEC_ID_NONE;  // else it is a bare video stream
    case AVMEDIA_TYPE_AUDIO:
      return container.audio_codec != AV_CODEC_ID_NONE;
    case AVMEDIA_TYPE_SUBTITLE:
      return container.subtitle_codec != AV_CODEC_ID_NONE ||
             std::string_view(container.name) == "mpegts";
    default:
      return false;
  }
}

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
        format_(choose_container(output, options)),
        file_(output, options.overwrite, options.input),
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
    straighten(copy, *packet);
    check(av_interleaved_write_frame(container_.get(), packet.get()));
    ++copy.packets;
  }

  void finish() override {
    encoder_.finish([this](AVPacket& packet) { mux_video(packet); });
    if (encoder_.packets() != written_)
      throw Error(Fault::internal, "the encoder lost frames", encoder_.context().codec->name,
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
    std::int64_t last_dts = AV_NOPTS_VALUE;
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
      else if (takes(format_, stream))
        add_copy(stream);
      else
        left_out += (left_out.empty() ? "" : ", ") + describe(stream);
    }
    if (!left_out.empty())
      notify(notify_,
             std::string(format_.name) + " cannot hold these streams, left out: " + left_out);
    add_chapters(input);
    av_dict_copy(&container_->metadata, input.metadata, 0);
    // What mp4 says about the file that it was.
    for (const char* key : {"major_brand", "minor_version", "compatible_brands"})
      av_dict_set(&container_->metadata, key, nullptr, 0);
  }

  AVStream& new_stream() {
    AVStream* stream = avformat_new_stream(container_.get(), nullptr);
    if (!stream) throw Error(Fault::internal, "out of memory", "", "");
    return *stream;
  }

  void add_video(const AVStream* from, const VideoInfo& info) {
    video_ = &new_stream();
    check(avcodec_parameters_from_context(video_->codecpar, &encoder_.context()));
    video_->time_base = info.time_base;
    video_->avg_frame_rate = info.frame_rate;
    video_->sample_aspect_ratio = info.sample_aspect;
    if (!from) return;
    video_->disposition = from->disposition;
    av_dict_copy(&video_->metadata, from->metadata, 0);
    av_dict_set(&video_->metadata, "encoder", nullptr, 0);
    copy_picture_side_data(*from, *video_);
  }

  void add_copy(const AVStream& from) {
    AVStream& to = new_stream();
    check(avcodec_parameters_copy(to.codecpar, from.codecpar));
    // A tag means something in its own container only.
    if (!format_.codec_tag ||
        av_codec_get_id(format_.codec_tag, from.codecpar->codec_tag) != from.codecpar->codec_id)
      to.codecpar->codec_tag = 0;
    to.time_base = from.time_base;
    to.avg_frame_rate = from.avg_frame_rate;
    to.sample_aspect_ratio = from.sample_aspect_ratio;
    to.disposition = from.disposition;
    av_dict_copy(&to.metadata, from.metadata, 0);
    copy_picture_side_data(from, to);
    copies_.emplace(from.index, Copy{.to = &to, .time_base = from.time_base});
  }

  void add_chapters(const AVFormatContext& input) {
    if (input.nb_chapters == 0) return;
    container_->chapters =
        static_cast<AVChapter**>(av_calloc(input.nb_chapters, sizeof(AVChapter*)));
    if (!container_->chapters) throw Error(Fault::internal, "out of memory", "", "");
    for (unsigned i = 0; i < input.nb_chapters; ++i) {
      auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
      if (!chapter) throw Error(Fault::internal, "out of memory", "", "");
      const AVChapter& from = *input.chapters[i];
      chapter->id = from.id;
      chapter->time_base = from.time_base;
      chapter->start = from.start;
      chapter->end = from.end;
      av_dict_copy(&chapter->metadata, from.metadata, 0);
      container_->chapters[container_->nb_chapters++] = chapter;  // freed with the container
    }
  }

  void mux_video(AVPacket& packet) {
    av_packet_rescale_ts(&packet, time_base_, video_->time_base);
    packet.stream_index = video_->index;
    check(av_interleaved_write_frame(container_.get(), &packet));
  }

  // Containers want growing times; broken inputs do not always have them.
  void straighten(Copy& copy, AVPacket& packet) {
    if (packet.dts == AV_NOPTS_VALUE) return;
    const std::int64_t least = copy.last_dts == AV_NOPTS_VALUE
                                   ? packet.dts
                                   : copy.last_dts + (format_.flags & AVFMT_TS_NONSTRICT ? 0 : 1);
    if (packet.dts < least) {
      if (std::exchange(times_were_right_, false))
        notify(notify_, "the times of stream #" + std::to_string(copy.to->index) +
                            " do not grow: some are moved");
      packet.dts = least;
      if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, least);
    }
    copy.last_dts = packet.dts;
  }

  const Notify notify_;
  const std::string output_;
  const AVOutputFormat& format_;
  PartialFile file_;
  Encoder encoder_;
  const AVRational time_base_;
  OutputPtr container_;
  AVStream* video_ = nullptr;
  std::map<int, Copy> copies_;  // by stream index of the source
  std::int64_t written_ = 0;
  bool times_were_right_ = true;
};

}  // namespace

std::unique_ptr<Sink> open_file_sink(const std::string& output, const SinkOptions& options,
                                     const Source& source) {
  return std::make_unique<FileSink>(output, options, source);
}

}  // namespace vidconv
