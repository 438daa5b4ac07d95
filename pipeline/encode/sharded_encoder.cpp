#include "pipeline/encode/sharded_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/encode/joined_encoder.h"
#include "pipeline/encode/shard_rules.h"

namespace vidconv {
namespace {

EncoderOptions of_parts(EncoderOptions options) {
  if (options.threads == 0) options.threads = shard_threads;
  return options;
}

bool same_header(const AVCodecParameters& a, const AVCodecContext& b) {
  return a.extradata_size == b.extradata_size &&
         (a.extradata_size == 0 ||
          std::memcmp(a.extradata, b.extradata, static_cast<std::size_t>(a.extradata_size)) == 0);
}

std::string in_parts(const ShardOptions& shards) {
  return shards.count > 0 ? fmt::format("in {} parts", shards.count)
                          : fmt::format("in parts of {:g} s", shards.length);
}

}  // namespace

std::unique_ptr<Encoder> make_part_encoder(const EncoderChoice& choice, const VideoInfo& video,
                                           EncoderOptions options, bool global_header,
                                           const Notify& notify, const Notify& lose) {
  options.packets_alone = true;
  return std::make_unique<Encoder>(choice, video, of_parts(std::move(options)), global_header,
                                   notify, lose);
}

ShardedEncoder::ShardedEncoder(const EncoderChoice& choice, const VideoInfo& video,
                               EncoderOptions options, bool global_header, const Notify& notify,
                               const Notify& lose)
    : choice_(choice),
      video_(video),
      options_(of_parts(std::move(options))),
      global_header_(global_header),
      cuts_(*options_.shards, video),
      first_(std::make_unique<Encoder>(choice, video, options_, global_header, notify, lose)),
      parameters_(avcodec_parameters_alloc()),
      description_(first_->description() + ", " + in_parts(*options_.shards)),
      times_(first_->context().has_b_frames) {
  if (!parameters_) throw_out_of_memory("for the encoder", choice_.codec->name);
  limits_.slots = static_cast<std::size_t>(std::max(1, options_.shards->slots));
  const auto behind = static_cast<std::size_t>(std::max(1, options_.shards->jobs - 1));
  limits_.packet_bytes =
      behind * static_cast<std::size_t>(std::max<std::int64_t>(1, options_.shards->packet_bytes));
  limits_.encoders = static_cast<std::size_t>(std::max(1, options_.shards->jobs));
  limits_.order = options_.shards->order.get();
  check_av(avcodec_parameters_from_context(parameters_.get(), &first_->context()), Fault::internal,
           "cannot describe the video");
}

void ShardedEncoder::describe(AVCodecParameters& to) const {
  check_av(avcodec_parameters_copy(&to, parameters_.get()), Fault::internal,
           "cannot describe the video");
}

// Notifies nobody: the first encoder reported conversions and losses.
std::unique_ptr<Encoder> ShardedEncoder::make_encoder_of(std::int64_t part) const {
  auto encoder =
      std::make_unique<Encoder>(choice_, video_, options_, global_header_, nullptr, nullptr);
  if (!same_header(*parameters_, encoder->context()))
    throw Error(Fault::output, "cannot join the parts of", choice_.codec->name,
                fmt::format("the header of part {} is not that of the first", part + 1),
                "leave out `shards`");
  return encoder;
}

ShardEncoder& ShardedEncoder::part_for(const Frame& frame, const Receive& receive) {
  const std::int64_t number = cuts_.part_of(frame.av().pts);
  const auto begun = std::ranges::find(parts_, number, [](const auto& p) { return p->number(); });
  if (begun != parts_.end()) return **begun;
  if (!limits_.order) {
    if (!parts_.empty()) parts_.back()->end_whole();
    while (parts_.size() >= limits_.encoders)
      release(ShardEncoder::Patience::until_the_next, receive);
  }
  const auto make =
      [this, number,
       first = std::make_shared<std::unique_ptr<Encoder>>(std::exchange(first_, nullptr))] {
        return *first ? std::exchange(*first, nullptr) : make_encoder_of(number);
      };
  if (number <= last_begun_)
    throw Error(Fault::internal, "parts do not begin in their order", "",
                fmt::format("part {} after part {}", number + 1, last_begun_ + 1));
  last_begun_ = number;
  return *parts_.emplace_back(std::make_unique<ShardEncoder>(number, limits_, make));
}

void ShardedEncoder::write(Frame frame, const Receive& receive) {
  for (const auto& part : parts_) part->check();
  release(ShardEncoder::Patience::none, receive);
  ShardEncoder& part = part_for(frame, receive);
  while (!part.wait_for_room(*parts_.front())) release(ShardEncoder::Patience::none, receive);
  const bool last = limits_.order && limits_.order->is_last(frame.number());
  part.write(std::move(frame));
  if (last) part.end_whole();
}

void ShardedEncoder::finish(const Receive& receive) {
  for (const auto& part : parts_) part->check();
  // With frames in order, only the last shard can lack any.
  if (!limits_.order && !parts_.empty()) parts_.back()->end_whole();
  for (const auto& part : parts_) part->end();
  if (options_.shards->interrupted && *options_.shards->interrupted) leave_unfinished();
  while (!parts_.empty()) release(ShardEncoder::Patience::until_the_next, receive);
}

void ShardedEncoder::release(ShardEncoder::Patience patience, const Receive& receive) {
  constexpr int packets_at_a_time = 4;
  for (int taken = 0; taken < packets_at_a_time && !parts_.empty();) {
    ShardEncoder& oldest = *parts_.front();
    if (const PacketPtr packet = oldest.take(patience)) {
      hand_out(oldest, *packet, receive);
      ++taken;
      patience = ShardEncoder::Patience::none;
    } else if (oldest.is_done()) {
      end_oldest(receive);
      patience = ShardEncoder::Patience::none;
    } else {
      return;
    }
  }
}

void ShardedEncoder::hand_out(ShardEncoder& part, AVPacket& packet, const Receive& receive) {
  if (part.times.empty())
    throw Error(MessageKind::unaccounted, "the encoder made up frames", choice_.codec->name,
                fmt::format("more came out of part {} than went in", part.number() + 1));
  const std::int64_t shown = part.times.front();
  part.times.pop_front();
  times_.add(packet, shown, [&](AVPacket& joined) {
    ++frames_out_;
    receive(joined);
  });
}

void ShardedEncoder::end_oldest(const Receive& receive) {
  times_.end_first_part([&](AVPacket& joined) {
    ++frames_out_;
    receive(joined);
  });
  if (!parts_.front()->times.empty())
    throw Error(MessageKind::unaccounted, "the encoder lost frames", choice_.codec->name,
                fmt::format("{} of part {} did not come out", parts_.front()->times.size(),
                            parts_.front()->number() + 1));
  parts_.pop_front();
  ++parts_out_;
}

void ShardedEncoder::leave_unfinished() {
  if (parts_.empty()) return;
  // A shard that lacks frames leaves a gap behind it.
  const auto first =
      parts_.front()->is_whole()
          ? std::find_if(parts_.begin() + 1, parts_.end(),
                         [](const auto& part) { return !part->is_whole() || !part->has_ended(); })
          : parts_.begin() + 1;
  for (auto part = first; part != parts_.end(); ++part) frames_left_ += std::ssize((*part)->times);
  parts_.erase(first, parts_.end());
}

std::unique_ptr<VideoEncoder> make_encoder(const EncoderChoice& choice, const VideoInfo& video,
                                           const EncoderOptions& options, bool global_header,
                                           const Notify& notify, const Notify& lose) {
  if (options.encoded)
    return std::make_unique<JoinedEncoder>(choice, video, options, global_header, notify, lose);
  if (!options.shards)
    return std::make_unique<Encoder>(choice, video, options, global_header, notify, lose);
  return std::make_unique<ShardedEncoder>(choice, video, options, global_header, notify, lose);
}

}  // namespace vidconv
