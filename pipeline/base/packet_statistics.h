// Counts what became of every packet and frame that was read, for the check at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vidconv {

// Counts packets of one stream of the input, as its source keeps them; the members with frames in
// their names count frames.
struct PacketStatistics {
  int stream = 0;           // index in the input
  std::string type, codec;  // "audio", "aac"; the codec is empty where the input is not coded
  bool filtered = false;    // the video that is decoded; other streams are handed on as is

  std::int64_t read = 0;       // from the container
  std::int64_t outside = 0;    // before or after the range that was asked for
  std::int64_t unused = 0;     // read, but the run was interrupted before they were handed on
  std::int64_t handed_on = 0;  // to the sink
  std::int64_t marked = 0;     // read, and the container calls them corrupt; not if filtered

  // These are for the filtered stream. How many frames come out of so many packets is the codec's
  // affair.
  std::int64_t decoded = 0;          // the decoder took them; of these
  std::int64_t failed = 0;           //   it complained about so many: damaged
  std::int64_t hidden = 0;           //   so many are not to be shown, as an edit list says
  std::int64_t without_picture = 0;  //   so many gave neither picture nor complaint
  std::int64_t refused = 0;          // the decoder did not take them: damaged
  std::int64_t frames = 0;           // came out of the decoder, or of an input that is not coded
  std::int64_t frames_outside = 0;   // likewise, frames
  std::int64_t frames_between = 0;   // likewise; a filter over time has left them out (every=)
  std::int64_t frames_unused = 0;
  std::int64_t frames_handed_on = 0;  // to the processor
};

// Adds the counts of `other`, for the same stream as read by another source.
void add_counts(PacketStatistics& to, const PacketStatistics& other);

// Counts what a sink did with the packets of one stream of the source. sum() is how many it was
// given.
struct CopyStatistics {
  std::int64_t copied = 0;    // as they are, or as subtitles in another form
  std::int64_t left_out = 0;  // the output cannot hold the stream or packet; a message said so
  std::int64_t empty = 0;     // subtitles that show nothing, where they are re-encoded
  std::int64_t refused = 0;   // by the output's container, or by a filter on the way
  std::int64_t decoded = 0;   // sound that is re-encoded
  std::int64_t failed = 0;    // decoded, but their decoder complained: they are damaged
  std::int64_t encoded = 0;   // packets made from those decoded; like `failed` not in the sum

  std::int64_t sum() const { return copied + left_out + empty + refused + decoded; }
};

// Says what does not add up; empty where everything does. docs/stats.md has the equations. `copies`
// are the sink's counts, nullptr where it was given nothing of the stream.
std::string imbalance(const PacketStatistics& account, const CopyStatistics* copies);

}  // namespace vidconv
