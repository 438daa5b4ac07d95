#include "pipeline/demux/mpeg_layers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>

#include "pipeline/av/av_log.h"
#include "pipeline/demux/opened_again.h"

namespace vidconv {
namespace {

// Sound begins within this many packets of a file.
constexpr int most_packets_read = 1000;

bool names_by_itself(std::string_view format) {
  constexpr std::string_view formats[] = {"mov,mp4,m4a,3gp,3g2,mj2", "avi", "asf", "matroska,webm"};
  return std::ranges::find(formats, format) != std::end(formats);
}

bool is_mpeg_audio(AVCodecID codec) {
  return codec == AV_CODEC_ID_MP1 || codec == AV_CODEC_ID_MP2 || codec == AV_CODEC_ID_MP3;
}

// Returns the codec that a frame's header says (ISO/IEC 11172-3, 2.4.1.3), or none if it is none.
AVCodecID codec_of(const AVPacket& packet) {
  if (packet.size < 4 || packet.data[0] != 0xFF || (packet.data[1] & 0xE0) != 0xE0)
    return AV_CODEC_ID_NONE;
  constexpr AVCodecID codecs[] = {AV_CODEC_ID_NONE, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2,
                                  AV_CODEC_ID_MP1};
  return codecs[packet.data[1] >> 1 & 3];
}

}  // namespace

void name_mpeg_layers(AVFormatContext& container, const std::string& url,
                      const AVIOInterruptCB& interrupt) {
  std::set<int> wanted;
  for (unsigned i = 0; i < container.nb_streams; ++i)
    if (is_mpeg_audio(container.streams[i]->codecpar->codec_id)) wanted.insert(static_cast<int>(i));
  if (wanted.empty() || !names_by_itself(container.iformat->name)) return;
  const AvLines lines;  // the reader of the container hears of what is wrong in it
  const OpenedAgain opened = open_again(container.iformat, url, interrupt);
  if (!opened.container || opened.container->nb_streams != container.nb_streams) return;
  const PacketPtr packet = make_packet();
  for (int read = 0; read < most_packets_read && !wanted.empty() &&
                     av_read_frame(opened.container.get(), packet.get()) >= 0;
       ++read) {
    if (wanted.erase(packet->stream_index) != 0) {
      const AVCodecID codec = codec_of(*packet);
      AVCodecParameters& named = *container.streams[packet->stream_index]->codecpar;
      if (codec != AV_CODEC_ID_NONE && codec != named.codec_id) {
        named.codec_id = codec;
        named.codec_tag = 0;
      }
    }
    av_packet_unref(packet.get());
  }
}

}  // namespace vidconv
