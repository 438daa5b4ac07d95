#include "pipeline/run/ledger.h"

#include <map>
#include <string>
#include <vector>

#include "pipeline/base/error.h"
#include "pipeline/base/packet_statistics.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_nothing(const Source& source) {
  const std::string truncated = source.damage().truncated;
  throw Error(MessageKind::no_frame, "there is nothing to filter", "",
              truncated.empty() ? "the input has no frame in the part that was asked for"
                                : "the input ends before the part that was asked for: " + truncated,
              "choose an earlier `start`");
}

// Throws Error(unaccounted) where packets were. Frames that the source says it handed on.
std::int64_t check_packets(const std::vector<PacketStatistics>& streams,
                           const std::map<int, CopyStatistics>& copies) {
  std::int64_t frames = 0;
  for (const PacketStatistics& stream : streams) {
    const auto copy = copies.find(stream.stream);
    const std::string wrong = imbalance(stream, copy == copies.end() ? nullptr : &copy->second);
    if (!wrong.empty())
      throw Error(MessageKind::unaccounted, "what was read is not accounted for", "", wrong);
    if (stream.filtered) frames += stream.frames_handed_on;
  }
  return frames;
}

}  // namespace

void check_before_finish(const FrameCounts& frames, const Source& source, const Sink& sink) {
  const std::vector<PacketStatistics> streams = source.accounts();
  const std::int64_t decoded = frames.decoded, filtered = frames.filtered, encoded = frames.encoded;
  const std::int64_t dropped = frames.dropped, skipped = frames.skipped;
  // Sources that keep no accounts have frames and nothing else.
  const std::int64_t handed_on =
      streams.empty() ? decoded + skipped : check_packets(streams, sink.copies());
  if (handed_on != decoded + skipped || decoded != filtered + dropped || filtered != encoded)
    throw Error(MessageKind::unaccounted, "frames were lost", "",
                std::to_string(handed_on) + " came, " + std::to_string(skipped) + " skipped, " +
                    std::to_string(decoded) + " decoded, " + std::to_string(dropped) +
                    " dropped, " + std::to_string(filtered) + " filtered, " +
                    std::to_string(encoded) + " encoded");
  if (encoded == 0 && sink.frames_brought() == 0) refuse_nothing(source);
}

void check_finished(const FrameCounts& frames, const Sink& sink) {
  if (sink.frames() + sink.frames_left() != frames.encoded + sink.frames_brought())
    throw Error(MessageKind::unaccounted, "frames were lost", "",
                std::to_string(frames.encoded) + " went to the sink, " +
                    std::to_string(sink.frames()) + " came out of it");
}

}  // namespace vidconv
