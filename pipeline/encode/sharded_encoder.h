// ShardedEncoder: encodes a video in shards, several at once, and joins them without a seam.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/encode/shard_encoder.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/shards/joined_times.h"
#include "pipeline/shards/shards.h"

namespace vidconv {

// Makes the encoder of any one shard, wherever that is encoded. Throws as the constructor of
// Encoder.
std::unique_ptr<Encoder> make_part_encoder(const EncoderChoice& choice, const VideoInfo& video,
                                           EncoderOptions options, bool global_header,
                                           const Notify& notify, const Notify& lose);

// Frames are dealt to the encoder of their part; packets come out in order, those of a part when
// all of the parts before have come. Parts that ShardOptions::store has come from there, and their
// frames are dropped. At most `jobs` parts are encoded at once, `slots` frames wait
// for each, and of those behind the oldest no more bytes of packets than there is memory for.
class ShardedEncoder final : public VideoEncoder {
 public:
  // Follows EncoderOptions::shards. Throws as make_encoder().
  ShardedEncoder(const EncoderChoice& choice, const VideoInfo& video, EncoderOptions options,
                 bool global_header, const Notify& notify, const Notify& lose);

  // Frames come in order, or in that of ShardOptions::order. After an interruption the oldest shard
  // is finished with the frames that have come, and complete shards behind it come out as well.
  // Throw Error(output) where a shard's header differs from the first one's.
  void write(Frame frame, const Receive& receive) override;
  void finish(const Receive& receive) override;

  const AVCodec& codec() const override { return *choice_.codec; }
  void describe(AVCodecParameters& to) const override;
  const std::string& description() const override { return description_; }
  std::int64_t frames_out() const override { return frames_out_; }
  std::int64_t frames_left() const override { return frames_left_; }
  std::int64_t frames_brought() const override;
  double seconds_brought() const override;
  void others_came_to(std::int64_t time, const Receive& receive) override;
  bool joins_frames() const override { return false; }
  std::int64_t parts_out() const override { return parts_out_; }

 private:
  ShardEncoder& part_for(const Frame& frame, const Receive& receive);
  // Runs on the shard's thread.
  std::unique_ptr<Encoder> make_encoder_of(std::int64_t part) const;
  // Hands out some packets of the oldest shard, and of the next ones where it is done. Not all of
  // them: a shard that was behind may hold a hundred megabytes, while the other encoders want
  // frames.
  void release(ShardEncoder::Patience patience, const Receive& receive);
  void hand_out(ShardEncoder& part, AVPacket& packet, const Receive& receive);
  void end_oldest(const Receive& receive);
  // Hands out some of the parts in ShardOptions::store whose turn it is, up to this time of
  // decoding. Whether there is more.
  bool hand_out_kept(const Receive& receive, std::int64_t until);
  bool is_kept_due() const;
  // Drops the parts that are not done, and those behind them; but the oldest.
  void leave_unfinished();

  const EncoderChoice choice_;
  const VideoInfo video_;
  const EncoderOptions options_;
  const bool global_header_;
  NewAspect new_aspect_;  // encoders of parts do not report it
  ShardCuts cuts_;
  std::unique_ptr<Encoder> first_;  // until its shard begins
  CodecParametersPtr parameters_;
  std::string description_;
  JoinedTimes times_;
  std::int64_t frames_out_ = 0, frames_left_ = 0, parts_out_ = 0;
  std::int64_t last_begun_ = -1;  // shard
  ShardLimits limits_;
  std::deque<std::unique_ptr<ShardEncoder>> parts_;  // the oldest first, whose turn it is
  struct KeptParts {
    std::size_t out = 0;               // so many have come out
    std::unique_ptr<KeptShard> now;    // the one that is coming out; null between two
    std::size_t at = 0;                // packets of it that have
    std::int64_t dropped = 0;          // frames that came although their part was there
    std::int64_t decoded = INT64_MIN;  // when the last packet is, ticks
  } kept_;
  std::int64_t next_ = 0;   // the part behind the last that has come out
  std::int64_t seen_ = -1;  // the last part of which a frame has come
  bool at_end_ = false;     // no frames come any more
};

}  // namespace vidconv
