#include "pipeline/encode/sharded_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/av/pixel_aspect.h"
#include "pipeline/encode/joined_encoder.h"
#include "pipeline/encode/reopened_encoder.h"
#include "pipeline/encode/shard_rules.h"
#include "pipeline/shards/stream_fit.h"

extern "C" {
#include <libavutil/mathematics.h>
}

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
  if (shards.begins) return "where filters act";
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
      new_aspect_(video.sample_aspect, "a video in parts", lose),
      cuts_(*options_.shards, video),
      first_(std::make_unique<Encoder>(choice, video, options_, global_header, notify, lose)),
      parameters_(avcodec_parameters_alloc()),
      description_(first_->description() + ", " + in_parts(*options_.shards)),
      times_(std::max(first_->context().has_b_frames,
                      options_.shards->fit ? options_.shards->fit->delay() : 0)) {
  if (!parameters_) throw_out_of_memory("for the encoder", choice_.codec->name);
  limits_.slots = static_cast<std::size_t>(std::max(1, options_.shards->slots));
  const auto behind = static_cast<std::size_t>(std::max(1, options_.shards->jobs - 1));
  limits_.packet_bytes =
      behind * static_cast<std::size_t>(std::max<std::int64_t>(1, options_.shards->packet_bytes));
  limits_.encoders = static_cast<std::size_t>(std::max(1, options_.shards->jobs));
  limits_.order = options_.shards->order.get();
  check_av(avcodec_parameters_from_context(parameters_.get(), &first_->context()), Fault::internal,
           "cannot describe the video");
  ShardStore* const store = options_.shards->store.get();
  if (!store) return;
  store->begin(*options_.shards, *parameters_, video.time_base, choice_.codec->name);
  limits_.store = store;
  // Parts are counted from the first frame, which is not seen where it was kept.
  if (store->has(0)) cuts_.part_of(store->read(0)->shown().front());
}

void ShardedEncoder::describe(AVCodecParameters& to) const {
  check_av(avcodec_parameters_copy(&to, parameters_.get()), Fault::internal,
           "cannot describe the video");
  if (options_.shards->fit) options_.shards->fit->describe(to);
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
  new_aspect_.check(frame);
  frame.av().sample_aspect_ratio = video_.sample_aspect;  // all parts say one
  const std::int64_t number = cuts_.part_of(frame.av().pts);
  seen_ = std::max(seen_, number);
  release(ShardEncoder::Patience::none, receive);
  if (limits_.store && limits_.store->has(number)) {
    if (!limits_.order && !parts_.empty()) parts_.back()->end_whole();
    ++kept_.dropped;
    if (!limits_.order) return;
    limits_.order->took(number);
    if (limits_.order->is_last(frame.number())) limits_.order->ended(number);
    return;
  }
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
  at_end_ = true;
  while (!parts_.empty() || is_kept_due()) release(ShardEncoder::Patience::until_the_next, receive);
}

std::int64_t ShardedEncoder::frames_brought() const {
  return limits_.store ? limits_.store->frames() - kept_.dropped : 0;
}

double ShardedEncoder::seconds_brought() const {
  const std::int64_t brought = frames_brought();
  return brought == 0 ? 0
                      : limits_.store->seconds() * static_cast<double>(brought) /
                            static_cast<double>(limits_.store->frames());
}

void ShardedEncoder::others_came_to(std::int64_t time, const Receive& receive) {
  if (!limits_.store) return;
  constexpr std::int64_t late = std::int64_t{10} * AV_TIME_BASE;  // containers have packets so late
  const std::int64_t until = av_rescale_q(time - late, AV_TIME_BASE_Q, video_.time_base);
  while (kept_.decoded < until && hand_out_kept(receive, until)) continue;
}

// No part before it is missing: those that begin do so in their order.
bool ShardedEncoder::is_kept_due() const {
  if (!limits_.store || kept_.out == limits_.store->shards().size()) return false;
  const std::int64_t number = limits_.store->shards()[kept_.out];
  if (!parts_.empty() && parts_.front()->number() < number) return false;
  return at_end_ || number <= seen_ || number == next_;
}

bool ShardedEncoder::hand_out_kept(const Receive& receive, std::int64_t until) {
  const auto hand_out = [&](AVPacket& joined) {
    ++frames_out_;
    kept_.decoded = joined.dts;
    receive(joined);
  };
  constexpr int packets_at_a_time = 64;
  for (int taken = 0; taken < packets_at_a_time && is_kept_due(); ++taken) {
    if (kept_.decoded >= until) return true;
    if (!kept_.now) kept_.now = limits_.store->read(limits_.store->shards()[kept_.out]);
    const std::vector<std::int64_t>& shown = kept_.now->shown();
    times_.add(*kept_.now->read(), shown[kept_.at], hand_out);
    if (++kept_.at < shown.size()) continue;
    times_.end_first_part(hand_out);
    next_ = limits_.store->shards()[kept_.out++] + 1;
    kept_.now.reset();
    kept_.at = 0;
    ++parts_out_;
  }
  return is_kept_due();
}

void ShardedEncoder::release(ShardEncoder::Patience patience, const Receive& receive) {
  constexpr int packets_at_a_time = 4;
  if (hand_out_kept(receive, INT64_MAX)) return;
  for (int taken = 0; taken < packets_at_a_time && !parts_.empty();) {
    ShardEncoder& oldest = *parts_.front();
    if (const PacketPtr packet = oldest.take(patience)) {
      hand_out(oldest, *packet, receive);
      ++taken;
      patience = ShardEncoder::Patience::none;
    } else if (oldest.is_done()) {
      end_oldest(receive);
      patience = ShardEncoder::Patience::none;
      if (hand_out_kept(receive, INT64_MAX)) return;
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
  if (options_.shards->fit) options_.shards->fit->fit(packet);
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
  next_ = parts_.front()->number() + 1;
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
  if (!options.shards && !global_header && follows_aspect(choice.container))
    return std::make_unique<ReopenedEncoder>(choice, video, options, notify, lose);
  if (!options.shards)
    return std::make_unique<Encoder>(choice, video, options, global_header, notify, lose);
  return std::make_unique<ShardedEncoder>(choice, video, options, global_header, notify, lose);
}

}  // namespace vidconv
