// PacketReader: reads the coded packets of one video of a file anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/demux/container_input.h"
#include "pipeline/demux/source_options.h"
#include "pipeline/unchanged/packet_index.h"

namespace vidconv {

// Where the packets of a video are.
struct PacketsOfVideo {
  std::string input;      // was opened with
  SourceOptions options;  // these
  int stream = 0;         // the video's index
  AVRational time_base = {1, 1};
  std::vector<IndexedPacket> packets;
};

// Reads the packets at these places anew, which begin with a key packet. Throws Error(input).
std::vector<PacketPtr> read_packets(const PacketsOfVideo& video, std::size_t begin,
                                    std::size_t end);

// Reads forwards. The file is opened when the first packet is wanted.
class PacketReader {
 public:
  // `video` outlives it.
  explicit PacketReader(const PacketsOfVideo& video) : video_(video) {}

  // Goes to a place before the key packet that is wanted next. Returns false where the container
  // finds none.
  bool seek(std::size_t place);
  // Returns the packet at this place, behind all that were read, with the time of its frame. Throws
  // Error(input).
  PacketPtr read(std::size_t place);

 private:
  void open();
  // The video's next packet. Returns false where none comes.
  bool next(AVPacket& packet);
  bool is(const AVPacket& packet, const IndexedPacket& expected) const;
  [[noreturn]] void fail() const;

  const PacketsOfVideo& video_;
  std::optional<ContainerInput> input_;
  std::int64_t offset_ = 0;
  std::size_t at_ = 0;  // the place of the next packet
  PacketPtr waiting_;   // the next packet, where it was read already; else null
};

}  // namespace vidconv
