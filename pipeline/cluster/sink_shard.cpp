#include "pipeline/cluster/sink_shard.h"

#include <fmt/format.h>

#include <utility>

#include "pipeline/encode/sharded_encoder.h"
#include "pipeline/io/digest.h"

namespace vidconv {
namespace {

// Refuses data beside a packet: shards would lose what containers make of it.
[[noreturn]] void refuse_beside(const std::string& encoder, const std::string& what) {
  throw Error(MessageKind::encoder_option, "parts for other hosts cannot be made by", encoder,
              "they do not hold what comes beside its packets: " + what,
              "use `shards` on one host, or another `pixel_format` or `codec`");
}

void check_packet(const AVPacket& packet, const std::string& encoder) {
  for (int i = 0; i < packet.side_data_elems; ++i) {
    const AVPacketSideDataType type = packet.side_data[i].type;
    if (type == AV_PKT_DATA_QUALITY_STATS || type == AV_PKT_DATA_CPB_PROPERTIES) continue;
    refuse_beside(encoder, av_packet_side_data_name(type));
  }
}

}  // namespace

void check_cluster_encoder(const Encoder& encoder) {
  const AVCodecContext& context = encoder.context();
  const bool alpha = av_pix_fmt_desc_get(context.pix_fmt)->flags & AV_PIX_FMT_FLAG_ALPHA;
  if (alpha && (context.codec_id == AV_CODEC_ID_VP8 || context.codec_id == AV_CODEC_ID_VP9))
    refuse_beside(encoder.codec().name, "what is transparent");
}

ShardSink::ShardSink(const OutputPlan& plan, const InputInfo& input, const std::string& path,
                     std::int64_t frames)
    : path_(path),
      time_base_(input.videos.at(0).info.time_base),
      frames_(frames),
      encoder_(make_part_encoder(plan.encoders.at(0), input.videos[0].info, plan.options.encoder,
                                 plan.container->flags & AVFMT_GLOBALHEADER, plan.options.notify,
                                 plan.options.loss())),
      file_(
          path,
          {.what = "the part", .overwrite = true, .files_only = true, .look_for_leftovers = false}),
      writer_(file_.fd(), path),
      muxer_(*av_guess_format("nut", nullptr, nullptr), path, {}, nullptr, nullptr) {
  check_cluster_encoder(*encoder_);
  AVStream& stream = muxer_.add_stream();
  encoder_->describe(*stream.codecpar);
  ledger_.header = {reinterpret_cast<const char*>(stream.codecpar->extradata),
                    static_cast<std::size_t>(stream.codecpar->extradata_size)};
  stream.time_base = time_base_;
  stream_ = &stream;
  muxer_.begin(std::make_unique<PipeOutput>(writer_, true));
}

void ShardSink::write(Frame frame) {
  encoder_->write(std::move(frame), [this](AVPacket& packet) { mux(packet); });
}

void ShardSink::mux(AVPacket& packet) {
  check_packet(packet, encoder_->codec().name);
  ledger_.packets.push_back({packet.pts, packet.dts, packet.duration, packet.flags});
  muxer_.write(packet, time_base_, *stream_);
}

void ShardSink::finish() {
  encoder_->finish([this](AVPacket& packet) { mux(packet); });
  if (frames() != frames_)
    throw Error(MessageKind::part, "the part is not published", path_,
                fmt::format("it has {} frames, the plan says {}", frames(), frames_),
                "make the plan with --exact, which counts frames by decoding all of them");
  muxer_.finish();
}

ShardLedger ShardSink::publish() {
  ledger_.bytes = writer_.size();
  ledger_.digest = digest_of_file(file_.fd(), path_);
  file_.commit();
  return std::move(ledger_);
}

}  // namespace vidconv
