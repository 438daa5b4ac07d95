#include "pipeline/cluster/shard_writer.h"

#include <utility>

#include "pipeline/io/digest.h"

namespace vidconv {
namespace {

// Beside a packet: what containers make of it would be lost.
[[noreturn]] void refuse_beside(const std::string& encoder, const std::string& what) {
  throw Error(MessageKind::encoder_option, "shards in files cannot be made by", encoder,
              "they do not hold what comes beside its packets: " + what,
              "use `shards` on one host without `resume`, or another `pixel_format` or `codec`");
}

void check_packet(const AVPacket& packet, const std::string& encoder) {
  for (int i = 0; i < packet.side_data_elems; ++i) {
    const AVPacketSideDataType type = packet.side_data[i].type;
    if (type == AV_PKT_DATA_QUALITY_STATS || type == AV_PKT_DATA_CPB_PROPERTIES) continue;
    refuse_beside(encoder, av_packet_side_data_name(type));
  }
}

}  // namespace

void check_cluster_encoder(AVCodecID codec, AVPixelFormat format, const std::string& encoder) {
  const bool alpha = av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_ALPHA;
  if (alpha && (codec == AV_CODEC_ID_VP8 || codec == AV_CODEC_ID_VP9))
    refuse_beside(encoder, "what is transparent");
}

ShardFileWriter::ShardFileWriter(const std::string& path, const std::string& what,
                                 const EncodedVideo& video)
    : path_(path),
      encoder_(video.encoder),
      time_base_(video.time_base),
      file_(path,
            {.what = what, .overwrite = true, .files_only = true, .look_for_leftovers = false}),
      writer_(file_.fd(), path),
      muxer_(*av_guess_format("nut", nullptr, nullptr), path, {}, nullptr, nullptr) {
  const AVCodecParameters& from = *video.parameters;
  check_cluster_encoder(from.codec_id, static_cast<AVPixelFormat>(from.format), encoder_);
  AVStream& stream = muxer_.add_stream();
  check_av(avcodec_parameters_copy(stream.codecpar, &from), Fault::internal,
           "cannot describe the video");
  ledger_.header = {reinterpret_cast<const char*>(from.extradata),
                    static_cast<std::size_t>(from.extradata_size)};
  stream.time_base = time_base_;
  stream_ = &stream;
  muxer_.begin(std::make_unique<PipeOutput>(writer_, true));
}

void ShardFileWriter::write(AVPacket& packet) {
  check_packet(packet, encoder_);
  ledger_.packets.push_back({packet.pts, packet.dts, packet.duration, packet.flags});
  muxer_.write(packet, time_base_, *stream_);
}

ShardLedger ShardFileWriter::publish() {
  ledger_.bytes = writer_.size();
  ledger_.digest = digest_of_file(file_.fd(), path_);
  file_.commit();
  return std::move(ledger_);
}

}  // namespace vidconv
