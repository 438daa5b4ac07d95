// ShardStore: where finished shards of a video are kept, so that a run which was ended can go on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/av/av.h"
#include "pipeline/shards/shards.h"

namespace vidconv {

// A shard that an earlier run has kept.
class KeptShard {
 public:
  virtual ~KeptShard() = default;

  // When its frames are shown, in order; as many as packets.
  virtual const std::vector<std::int64_t>& shown() const = 0;
  // The next packet, with the times of its encoder. Throws Error.
  virtual PacketPtr read() = 0;
};

// A shard on its way into the store. What was not kept is gone with it.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Does not change the packet. Throws Error.
  virtual void write(const AVPacket& packet) = 0;
  // All packets of the whole shard were written: it is on the disk when this returns, or, where
  // ShardStore::judge_later() was called, when judged() is called. Throws Error.
  virtual void keep() = 0;
};

// Shards are counted from 0. After begin() all members may be called from any thread.
class ShardStore {
 public:
  virtual ~ShardStore() = default;

  // Finds what was kept of a video that is cut so and encoded so. A second call says that the input
  // is read anew, in order of time, since it is damaged: what was kept before is dropped. Throws
  // Error where what is there belongs to another video.
  virtual void begin(const ShardOptions& cut, const AVCodecParameters& encoded,
                     AVRational time_base, const std::string& encoder) = 0;

  // The shards that an earlier run has kept. None of these change after begin().
  virtual const std::vector<std::int64_t>& shards() const = 0;  // rising
  virtual bool has(std::int64_t shard) const = 0;
  // Whether frames of a shard that is there are read and filtered all the same, in their turn,
  // because somebody looks at each frame.
  virtual bool is_read(std::int64_t) const { return false; }
  virtual std::int64_t frames() const = 0;  // in all of them
  virtual double seconds() const = 0;
  // Throws Error where it is not what was written.
  virtual std::unique_ptr<KeptShard> read(std::int64_t shard) const = 0;

  virtual std::unique_ptr<ShardWriter> write(std::int64_t shard) = 0;

  // Whether the input of a shard is damaged is known only some time after its last frame.
  virtual void judge_later() = 0;
  // It is not. Throws Error.
  virtual void judged(std::int64_t shard) = 0;
  // The input ends early in this shard, which a later run has to notice as well: it is not kept.
  virtual void refuse(std::int64_t shard) = 0;
};

}  // namespace vidconv
