#include "pipeline/encode/joined_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "pipeline/encode/sharded_encoder.h"
#include "pipeline/shards/stream_fit.h"

namespace vidconv {
namespace {

std::string_view header_of(const AVCodecContext& context) {
  return {reinterpret_cast<const char*>(context.extradata),
          static_cast<std::size_t>(context.extradata_size)};
}

}  // namespace

JoinedEncoder::JoinedEncoder(const EncoderChoice& choice, const VideoInfo& video,
                             const EncoderOptions& options, bool global_header,
                             const Notify& notify, const Notify& lose)
    : encoder_(make_part_encoder(choice, video, options, global_header, notify, lose)),
      parts_(*options.encoded),
      fit_(options.shards ? options.shards->fit : nullptr) {}

void JoinedEncoder::describe(AVCodecParameters& to) const {
  encoder_->describe(to);
  if (fit_) fit_->describe(to);
}

void JoinedEncoder::write(Frame, const Receive&) {
  throw Error(Fault::internal, "there is nothing to encode", "", "all parts were encoded before");
}

void JoinedEncoder::finish(const Receive& receive) {
  JoinedTimes times(std::max(encoder_->context().has_b_frames, fit_ ? fit_->delay() : 0));
  const auto hand_out = [&](AVPacket& packet) {
    parts_.before(packet);
    ++frames_out_;
    receive(packet);
  };
  while (std::optional<EncodedShards::Part> part = parts_.next()) {
    if (part->header && *part->header != header_of(encoder_->context()))
      throw Error(
          Fault::output, "cannot join the parts of", codec().name,
          fmt::format("the header of part {} is not the one that is encoded here", parts_out_ + 1),
          "encode all parts, and join them, with the same libraries");
    for (const std::int64_t shown : part->shown) {
      const PacketPtr packet = parts_.read();
      if (part->header && fit_) fit_->fit(*packet);
      times.add(*packet, shown, hand_out);
    }
    times.end_first_part(hand_out);
    ++parts_out_;
  }
}

}  // namespace vidconv
