#include "pipeline/sink/read_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "pipeline/av/av_log.h"
#include "pipeline/av/container.h"

namespace vidconv {
namespace {

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

}  // namespace

bool is_to_be_read_back(const AVOutputFormat& container) {
  constexpr std::string_view rare[] = {"amv", "film_cpk", "gxf", "rm",
                                       "roq", "smjpeg",   "swf", "wtv"};
  return std::ranges::find(rare, container.name) != std::end(rare);
}

std::string missed_by_reader(AVFormatContext& written, AVCodecID wanted, std::int64_t pictures) {
  AVIOContext* bytes = nullptr;
  if (written.io_open(&written, &bytes, written.url, AVIO_FLAG_READ, nullptr) < 0) return "";
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
    int video = -1;
    while (reader && av_read_frame(reader.get(), packet.get()) >= 0) {
      if (video < 0)  // some are known by their first packet
        video = av_find_best_stream(reader.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
      if (packet->stream_index == video) {
        ++found;
        const AVCodecParameters& found_as = *reader->streams[video]->codecpar;
        codec = found_as.codec_id;
        if (!first) first.emplace(found_as);
        first->take(packet.get());
      }
      av_packet_unref(packet.get());
    }
    if (first) first->take(nullptr);
  }
  written.io_close2(&written, bytes);
  if (found < pictures)
    return fmt::format("FFmpeg's reader finds {} of {} pictures", found, pictures);
  // Readers tell MPEG-1 and MPEG-2 apart by their pictures alone.
  if (codec != wanted && !(is_mpeg(codec) && is_mpeg(wanted)))
    return fmt::format("FFmpeg's reader takes it for {}", avcodec_get_name(codec));
  return !first || first->is_there() ? "" : "FFmpeg cannot decode what its reader finds";
}

}  // namespace vidconv
