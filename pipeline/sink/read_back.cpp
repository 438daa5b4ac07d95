#include "pipeline/sink/read_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
  std::string codec;
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
      found += same && packet->stream_index == same->index;
      av_packet_unref(packet.get());
    }
    const AVCodecID wanted = video->codecpar->codec_id;
    if (same && same->codecpar->codec_id != wanted &&
        !(is_mpeg(wanted) && is_mpeg(same->codecpar->codec_id)))
      codec = avcodec_get_name(same->codecpar->codec_id);
  }
  written.io_close2(&written, bytes);
  if (!codec.empty()) return fmt::format("FFmpeg's reader takes it for {}", codec);
  return found >= pictures
             ? ""
             : fmt::format("FFmpeg's reader finds {} of {} pictures", found, pictures);
}

}  // namespace vidconv
