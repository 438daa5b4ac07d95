#include "pipeline/cluster/sink_shard.h"

#include <fmt/format.h>

#include <utility>

#include "pipeline/encode/sharded_encoder.h"

namespace vidconv {
namespace {

EncodedVideo describe(const Encoder& encoder, AVRational time_base) {
  EncodedVideo video{.parameters = CodecParametersPtr(avcodec_parameters_alloc()),
                     .time_base = time_base,
                     .encoder = encoder.codec().name};
  if (!video.parameters) throw_out_of_memory("for the encoder", video.encoder);
  encoder.describe(*video.parameters);
  return video;
}

}  // namespace

void check_cluster_encoder(const Encoder& encoder) {
  check_cluster_encoder(encoder.context().codec_id, encoder.context().pix_fmt,
                        encoder.codec().name);
}

ShardSink::ShardSink(const OutputPlan& plan, const InputInfo& input, const std::string& path,
                     std::int64_t frames)
    : path_(path),
      frames_(frames),
      encoder_(make_part_encoder(plan.encoders.at(0), input.videos.at(0).info, plan.options.encoder,
                                 plan.container->flags & AVFMT_GLOBALHEADER, plan.options.notify,
                                 plan.options.loss())),
      writer_(path, "the part", describe(*encoder_, input.videos[0].info.time_base)) {}

void ShardSink::write(Frame frame) {
  encoder_->write(std::move(frame), [this](AVPacket& packet) { writer_.write(packet); });
}

void ShardSink::finish() {
  encoder_->finish([this](AVPacket& packet) { writer_.write(packet); });
  if (frames() != frames_)
    throw Error(MessageKind::part, "the part is not published", path_,
                fmt::format("it has {} frames, the plan says {}", frames(), frames_),
                "make the plan with --exact, which counts frames by decoding all of them");
  writer_.finish();
}

}  // namespace vidconv
