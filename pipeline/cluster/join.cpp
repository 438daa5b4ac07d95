#include "pipeline/cluster/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/encode/joined_encoder.h"

extern "C" {
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

// Checks that everything that was read went somewhere.
void check_copies(const Source& source, const Sink& sink) {
  const std::map<int, CopyStatistics> copies = sink.copies();
  for (const PacketStatistics& stream : source.accounts()) {
    if (stream.filtered) continue;
    const auto copy = copies.find(stream.stream);
    const std::string wrong = imbalance(stream, copy == copies.end() ? nullptr : &copy->second);
    if (!wrong.empty())
      throw Error(MessageKind::unaccounted, "what was read is not accounted for", "", wrong);
  }
}

// Reads the shards, those that are copied among them, and ahead of them the packets beside the
// video.
class PartsAndCopies final : public EncodedShards {
 public:
  PartsAndCopies(Source& source, AVRational time_base, const std::vector<FinishedShard>& parts,
                 const KeptPackets* kept, const std::atomic<bool>* interrupted)
      : source_(source),
        time_base_(time_base),
        parts_(parts),
        kept_(kept),
        interrupted_(interrupted) {
    if (const AVFormatContext* container = source.container().get())
      for (unsigned i = 0; i < container->nb_streams; ++i)
        time_bases_[container->streams[i]->index] = container->streams[i]->time_base;
  }

  // Sets the sink for the copies.
  void set_sink(Sink& sink) { sink_ = &sink; }

  std::optional<Part> next() override {
    reader_.reset();
    copied_.reset();
    if (kept_ && shard_ < std::ssize(kept_->stretches()) && kept_->has(shard_)) {
      copied_ = kept_->read(shard_++);
      return Part{.shown = copied_->shown(), .header = {}};
    }
    if (next_ == parts_.size()) {
      while (copy_next()) continue;
      check_copies(source_, *sink_);
      return std::nullopt;
    }
    ++shard_;
    const FinishedShard& part = parts_[next_++];
    check_part(part.path, part.ledger, true);
    reader_.emplace(part.path, part.ledger);
    return Part{.shown = times_of(part.ledger), .header = part.ledger.header};
  }

  PacketPtr read() override { return copied_ ? copied_->read() : reader_->read(); }

  // Copies ahead: everything up to the video's time has to be there, also packets late in the file.
  void before(const AVPacket& packet) override {
    constexpr std::int64_t ahead = std::int64_t{10} * AV_TIME_BASE;
    const std::int64_t until = av_rescale_q(packet.dts, time_base_, AV_TIME_BASE_Q) + ahead;
    while (copied_until_ < until && copy_next()) continue;
  }

  std::int64_t frames() const override {
    std::int64_t frames = kept_ ? kept_->frames() : 0;
    for (const FinishedShard& part : parts_) frames += std::ssize(part.ledger.packets);
    return frames;
  }

 private:
  // Returns false at the end.
  bool copy_next() {
    std::optional<Item> item = at_end_ ? std::nullopt : source_.next();
    if (interrupted_ && *interrupted_)
      throw Error(MessageKind::interrupted, "the parts are not joined", "", "it was interrupted");
    if (!item) {
      at_end_ = true;
      return false;
    }
    PacketPtr packet = std::move(std::get<PacketPtr>(*item));
    const std::int64_t time = packet->dts != AV_NOPTS_VALUE ? packet->dts : packet->pts;
    if (time != AV_NOPTS_VALUE)
      copied_until_ = std::max(
          copied_until_, av_rescale_q(time, time_bases_[packet->stream_index], AV_TIME_BASE_Q));
    sink_->copy(std::move(packet));
    return true;
  }

  Source& source_;
  const AVRational time_base_;
  const std::vector<FinishedShard>& parts_;
  const KeptPackets* const kept_;  // may be null
  const std::atomic<bool>* const interrupted_;
  std::map<int, AVRational> time_bases_;  // by the source's streams
  Sink* sink_ = nullptr;
  std::size_t next_ = 0;    // index in parts_
  std::int64_t shard_ = 0;  // number of the next shard, counting those that are copied
  std::optional<PartReader> reader_;
  std::unique_ptr<KeptShard> copied_;      // where the shard is copied; else null
  std::int64_t copied_until_ = INT64_MIN;  // microseconds
  bool at_end_ = false;
};

}  // namespace

Joined join_parts(Source& source, const OutputPlan& output, const InputVideo& video,
                  const std::vector<FinishedShard>& parts, const KeptPackets* kept) {
  PartsAndCopies encoded(source, video.info.time_base, parts, kept, output.options.interrupted);
  OutputPlan plan = output;
  plan.options.encoder.encoded = &encoded;
  const std::unique_ptr<Sink> sink =
      open_sink(plan, {.videos = {video}, .container = source.container()});
  encoded.set_sink(*sink);
  sink->finish();
  Joined joined{.frames = sink->frames(),
                .parts = sink->parts(),
                .bytes = sink->bytes(),
                .description = sink->description(),
                .damage = source.damage()};
  for (const auto& [stream, copies] : sink->copies()) {
    joined.damage.refused += copies.refused;
    joined.damage.marked += copies.failed;
  }
  return joined;
}

}  // namespace vidconv
