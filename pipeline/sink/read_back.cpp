#include "pipeline/sink/read_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "pipeline/av/av_log.h"

namespace vidconv {
namespace {

const AVStream* first_video(const AVFormatContext& container) {
  for (unsigned i = 0; i < container.nb_streams; ++i)
    if (container.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
      return container.streams[i];
  return nullptr;
}

// Decodes packets of a stream until there is a picture.
class FirstPicture {
 public:
  explicit FirstPicture(const AVCodecParameters& stream) {
    const AVCodec* codec = avcodec_find_decoder(stream.codec_id);
    is_there_ = !codec;  // nobody can say
    decoder_.reset(codec ? avcodec_alloc_context3(codec) : nullptr);
    const bool opened = decoder_ && avcodec_parameters_to_context(decoder_.get(), &stream) >= 0 &&
                        avcodec_open2(decoder_.get(), codec, nullptr) >= 0;
    if (!opened) decoder_.reset();
  }

  // Null at the end.
  void take(const AVPacket* packet) {
    if (is_there_ || !decoder_) return;
    static_cast<void>(avcodec_send_packet(decoder_.get(), packet));
    is_there_ = avcodec_receive_frame(decoder_.get(), frame_.get()) >= 0;
  }

  bool is_there() const { return is_there_; }

 private:
  CodecContextPtr decoder_;  // null where it cannot be opened
  FramePtr frame_ = make_frame();
  bool is_there_ = false;
};

bool is_mpeg(AVCodecID codec) {  // readers tell them apart by their pictures alone
  return codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_MPEG2VIDEO;
}

}  // namespace

bool is_to_be_read_back(const AVOutputFormat& container) {
  constexpr std::string_view rare[] = {"amv", "film_cpk", "gxf", "rm",
                                       "roq", "smjpeg",   "swf", "wtv"};
  return std::ranges::find(rare, container.name) != std::end(rare);
}

std::string missed_by_reader(AVFormatContext& written, std::int64_t pictures) {
  const AVStream* const video = first_video(written);
  AVIOContext* bytes = nullptr;
  if (!video || written.io_open(&written, &bytes, written.url, AVIO_FLAG_READ, nullptr) < 0)
    return "";
  std::int64_t found = 0;
  AVCodecID codec = AV_CODEC_ID_NONE;
  std::optional<FirstPicture> first;
  {
    const AvLines said;  // complaints of the reader are in the answer
    AVFormatContext* context = avformat_alloc_context();
    if (!context) throw_out_of_memory("to read the output again");
    context->pb = bytes;
    const InputPtr reader(
        avformat_open_input(&context, written.url, nullptr, nullptr) < 0 ? nullptr : context);
    const PacketPtr packet = make_packet();
    const AVStream* same = nullptr;
    while (reader && av_read_frame(reader.get(), packet.get()) >= 0) {
      if (!same) same = first_video(*reader);  // some are known by their first packet
      if (same && packet->stream_index == same->index) {
        ++found;
        codec = same->codecpar->codec_id;
        if (!first) first.emplace(*same->codecpar);
        first->take(packet.get());
      }
      av_packet_unref(packet.get());
    }
    if (first) first->take(nullptr);
  }
  written.io_close2(&written, bytes);
  const AVCodecID wanted = video->codecpar->codec_id;
  if (found < pictures)
    return fmt::format("FFmpeg's reader finds {} of {} pictures", found, pictures);
  if (codec != wanted && !(is_mpeg(codec) && is_mpeg(wanted)))
    return fmt::format("FFmpeg's reader takes it for {}", avcodec_get_name(codec));
  return !first || first->is_there() ? "" : "FFmpeg cannot decode what its reader finds";
}

}  // namespace vidconv
