#include "pipeline/unchanged/keep_unchanged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "pipeline/encode/shard_rules.h"
#include "pipeline/unchanged/changed_frames.h"
#include "pipeline/unchanged/fitting_encoder.h"
#include "pipeline/unchanged/joined_store.h"
#include "pipeline/unchanged/kept_packets.h"
#include "pipeline/unchanged/packet_index.h"
#include "pipeline/unchanged/packet_reader.h"
#include "pipeline/unchanged/source_quality.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Says, for people, why packets cannot be copied.
struct AllEncoded {
  std::string why;
};

class Decision {
 public:
  explicit Decision(const KeepRequest& request) : request_(request) {}

  Keeping decide() {
    check_input();
    look_at_packets();
    cut();
    const auto kept = std::make_shared<KeptPackets>(packets(), times_, stretches_);
    EncoderOptions options = request_.sink.encoder;
    options.shards = shards(kept);
    const std::optional<double> quality = read_quality();
    const FittingEncoder fitting{.stream = stream(),
                                 .video = video(),
                                 .taken = index_->parameter_sets(),
                                 .key = *index_->first_key(),
                                 .delay = index_->delay(),
                                 .quality = quality};
    try {
      options = fit_encoder(fitting, request_.output, request_.sink, std::move(options));
    } catch (const Error& error) {
      if (error.fault() != Fault::output) throw;
      throw AllEncoded{error.why()};
    }
    if (const auto& asked = request_.sink.encoder.shards; asked && asked->store)
      options.shards->store = std::make_shared<JoinedStore>(kept, asked->store, options.shards->fit,
                                                            request_.looked_at);
    tell(options, quality.has_value());
    return {.encoder = std::move(options), .kept = kept};
  }

 private:
  const VideoInfo& video() const { return request_.source.video(); }
  const AVCodecParameters& stream() const {
    const auto at = static_cast<unsigned>(request_.source.video_stream());
    return *request_.source.container().get()->streams[at]->codecpar;
  }

  // Refuses all that is known before the input is looked through.
  void check_input() const {
    SinkOptions sink = request_.sink;
    sink.notify = nullptr;
    sink.lose = nullptr;
    sink.encoder.shards.reset();
    const std::vector<InputVideo> videos = request_.source.videos();
    const OutputPlan plan = plan_output(request_.output, sink, videos);
    if (!plan.encoders.empty() && !encodes_in_parts(plan.encoders[0]))
      throw AllEncoded{fmt::format("{} is not known to encode parts that can be joined",
                                   plan.encoders[0].codec->name)};
    // Refuses what cannot be in shards at all, as a mistake of the command line.
    sink.encoder.shards =
        ShardOptions{.begins = std::make_shared<const std::vector<std::int64_t>>(1, 0)};
    plan_output(request_.output, sink, videos);
    const SourceOptions& from = request_.from;
    if (!request_.source.container().get() || request_.source.video_stream() < 0)
      throw AllEncoded{"the input has no coded packets"};
    if (from.start || from.duration || from.frames)
      throw AllEncoded{"only a range of the input is read"};
    if (video().turned) throw AllEncoded{"the pictures are turned upright"};
    if (!tells_keys(stream().codec_id))
      throw AllEncoded{fmt::format("of {} nobody knows where decoding can begin anew",
                                   avcodec_get_name(stream().codec_id))};
    const AVCodec& encoder = *plan.encoders.at(0).codec;
    if (encoder.id != stream().codec_id)
      throw AllEncoded{fmt::format("the input is {}, the output {}",
                                   avcodec_get_name(stream().codec_id),
                                   avcodec_get_name(encoder.id))};
  }

  void look_at_packets() {
    try {
      index_.emplace(stream());
    } catch (const Error& error) {
      if (error.fault() != Fault::output) throw;
      throw AllEncoded{error.why()};
    }
    const bool exact = request_.source.survey(
        [&](const AVPacket& packet, std::int64_t shown) { index_->see(packet, shown); });
    if (!index_->obstacle().empty()) throw AllEncoded{index_->obstacle()};
    if (!exact)
      throw AllEncoded{
          "its packets do not say which frames they are: they are fields, lack times, or come "
          "from what can be read once"};
    times_ = request_.source.times();
    for (const IndexedPacket& packet : index_->packets()) shown_.push_back(packet.shown);
    std::ranges::sort(shown_);
    if (shown_ != *times_) throw AllEncoded{"its packets are not one for each frame"};
    if (!index_->first_key())
      throw AllEncoded{
          "no packet begins a group of pictures with which decoding can begin, and has all "
          "headers"};
  }

  void cut() {
    const std::vector<bool> changed = changed_frames(request_.work, video(), index_->packets());
    std::vector<PacketCut> cuts = index_->cuts();
    cuts.push_back({.place = changed.size()});
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      // Leading packets are copied with what is before them, or not at all.
      const std::size_t begin = cuts[i].place + cuts[i].leading;
      const std::size_t end = cuts[i + 1].place + cuts[i + 1].leading;
      const auto at = [&](std::size_t place) {
        return changed.begin() + static_cast<std::ptrdiff_t>(place);
      };
      const bool enters = cuts[i].enters || stretches_.empty() || stretches_.back().kept;
      const bool kept = enters && std::find(at(begin), at(end), true) == at(end);
      if (!stretches_.empty() && stretches_.back().kept == kept) {
        stretches_.back().end = end;
        continue;
      }
      if (!stretches_.empty() && !kept) stretches_.back().end = cuts[i].place;
      stretches_.push_back({.begin = kept ? begin : cuts[i].place,
                            .end = end,
                            .kept = kept,
                            .first = cuts[i].place});
    }
    if (std::ranges::none_of(stretches_, &PacketStretch::kept))
      throw AllEncoded{
          cuts.size() == 2 && !changed.empty() && std::ranges::find(changed, false) != changed.end()
              ? "no packet but the first begins a group of pictures with which decoding can begin"
              : "there is no stretch between key frames on which no filter acts"};
    divide();
  }

  // Cuts what is encoded into shards of the length that was asked for.
  void divide() {
    const auto& asked = request_.sink.encoder.shards;
    if (!asked) return;
    double seconds = asked->length > 0 ? asked->length : usual_length;
    if (const auto length = length_of(video()); length && asked->count > 0)
      seconds = *length / asked->count;
    const auto ticks =
        static_cast<std::int64_t>(std::max(1., std::round(seconds / av_q2d(video().time_base))));
    std::vector<PacketStretch> divided;
    for (PacketStretch rest : stretches_) {
      while (!rest.kept) {
        const auto from = times_->begin() + static_cast<std::ptrdiff_t>(rest.begin);
        const auto to = times_->begin() + static_cast<std::ptrdiff_t>(rest.end);
        const auto next =
            static_cast<std::size_t>(std::lower_bound(from, to, *from + ticks) - times_->begin());
        if (next == rest.end) break;
        divided.push_back({.begin = rest.begin, .end = next, .first = rest.first});
        rest.begin = next;
      }
      divided.push_back(rest);
    }
    stretches_ = std::move(divided);
  }

  ShardOptions shards(std::shared_ptr<KeptPackets> kept) const {
    ShardOptions shards = request_.sink.encoder.shards.value_or(ShardOptions{.jobs = 1});
    shards.automatic = false;
    shards.count = 0;
    std::vector<std::int64_t> begins;
    for (const PacketStretch& stretch : stretches_) begins.push_back((*times_)[stretch.begin]);
    shards.begins = std::make_shared<const std::vector<std::int64_t>>(std::move(begins));
    shards.store = std::move(kept);
    return shards;
  }

  PacketsOfVideo packets() const {
    SourceOptions quiet = request_.from;
    quiet.video_only = true;
    quiet.notify = nullptr;
    quiet.files = nullptr;
    return {.input = request_.input,
            .options = std::move(quiet),
            .stream = request_.source.video_stream(),
            .time_base = video().time_base,
            .packets = index_->packets()};
  }

  // Returns the quality of the first frames that are encoded anew.
  std::optional<double> read_quality() const {
    constexpr std::size_t enough = 50;
    const auto first = std::ranges::find(stretches_, false, &PacketStretch::kept);
    if (first == stretches_.end()) return std::nullopt;
    const std::size_t end = std::min(index_->packets().size(), first->first + enough);
    return quality_of(read_packets(packets(), first->first, end), stream());
  }

  void tell(const EncoderOptions& options, bool has_quality) const {
    std::int64_t kept = 0, encoded = 0;
    for (const PacketStretch& stretch : stretches_)
      (stretch.kept ? kept : encoded) += static_cast<std::int64_t>(stretch.end - stretch.begin);
    std::string how;
    if (encoded > 0 && has_quality && !options.crf.empty() && request_.sink.encoder.crf.empty())
      how = fmt::format(", with the quality of the input, `crf` {}", options.crf);
    notify(request_.sink.notify, MessageKind::kept,
           fmt::format("`keep_unchanged`: {} frames are copied as they are coded, {} are encoded{}",
                       kept, encoded, how));
  }

  static constexpr double usual_length = 10;  // seconds

  const KeepRequest& request_;
  std::optional<PacketIndex> index_;
  std::shared_ptr<const std::vector<std::int64_t>> times_;
  std::vector<std::int64_t> shown_;
  std::vector<PacketStretch> stretches_;
};

}  // namespace

std::optional<Keeping> keep_unchanged(const KeepRequest& request) {
  try {
    return Decision(request).decide();
  } catch (const AllEncoded& all) {
    notify(request.sink.loss(), MessageKind::all_encoded,
           "`keep_unchanged`: all is encoded: " + all.why);
  }
  return std::nullopt;
}

}  // namespace vidconv
