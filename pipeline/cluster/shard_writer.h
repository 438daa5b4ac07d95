// ShardFileWriter: the file of a shard, as its packets come.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/cluster/shard_file.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/partial_file.h"
#include "pipeline/sink/muxer.h"

namespace vidconv {

// A shard as its encoder describes it.
struct EncodedVideo {
  CodecParametersPtr parameters;
  AVRational time_base;  // of the packets' times
  std::string encoder;   // its name
};

// Throws Error(encoder_option) where packets of this encoder hold only a part of the picture, so
// that it is lost where they are kept in files.
void check_cluster_encoder(AVCodecID codec, AVPixelFormat format, const std::string& encoder);

class ShardFileWriter {
 public:
  // A file at `path` is replaced; `what` it is, for messages. Throws Error(output), and what
  // check_cluster_encoder() throws.
  ShardFileWriter(const std::string& path, const std::string& what, const EncodedVideo& video);

  // The packet is moved from. Throws Error(encoder_option) for one that is not all of its picture.
  void write(AVPacket& packet);
  // Makes a write that waits throw. Any thread.
  void cancel() { writer_.cancel(); }
  // No more packets. Gives it no name yet.
  void finish() { muxer_.finish(); }
  // After finish(): the file has its name then, and is on the disk. Returns what its ledger has to
  // say, without a key.
  ShardLedger publish();

  std::int64_t packets() const { return static_cast<std::int64_t>(ledger_.packets.size()); }
  std::int64_t bytes() const { return writer_.bytes(); }

 private:
  const std::string path_, encoder_;
  const AVRational time_base_;
  PartialFile file_;
  ByteWriter writer_;
  Muxer muxer_;
  AVStream* stream_ = nullptr;
  ShardLedger ledger_;
};

}  // namespace vidconv
