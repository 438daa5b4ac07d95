// VideoEncoder: is a sink's view of a video's encoder, be it one or several at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/av/frame.h"
#include "pipeline/base/notice.h"
#include "pipeline/encode/encoder_choice.h"

namespace vidconv {

class VideoEncoder {
 public:
  virtual ~VideoEncoder() = default;

  // Receives each packet with times in VideoInfo::time_base and the duration of its frame. It may
  // move from the packet. The thread in write() or finish() calls it.
  using Receive = std::function<void(AVPacket&)>;

  // Takes a frame on the device where EncoderOptions::device says so, else in host memory.
  virtual void write(Frame frame, const Receive& receive) = 0;
  // Ends the frames: packets that are still inside come out.
  virtual void finish(const Receive& receive) = 0;

  virtual const AVCodec& codec() const = 0;
  // Describes the stream for a container.
  virtual void describe(AVCodecParameters& to) const = 0;
  // Describes it for people: "libx264 crf=23 preset=medium, yuv420p".
  virtual const std::string& description() const = 0;
  // Returns how many frames have come out: as many as packets, unless one packet holds them all.
  virtual std::int64_t frames_out() const = 0;
  // Returns how many frames an interruption has kept from coming out.
  virtual std::int64_t frames_left() const { return 0; }
  // Returns how many frames come out without write(): they were encoded elsewhere.
  virtual std::int64_t frames_brought() const { return 0; }
  virtual double seconds_brought() const { return 0; }  // seconds of the video's time
  // Packets of other streams have come up to this time, microseconds: what was brought and is
  // decoded before may come out.
  virtual void others_came_to(std::int64_t, const Receive&) {}
  virtual bool joins_frames() const = 0;
  // Returns how many shards have come out whole; 0 where the video is not encoded in shards.
  virtual std::int64_t parts_out() const { return 0; }
};

// Makes one encoder, or several where EncoderOptions::shards says so, or where pixels change their
// shape and the container follows. `global_header` says that the
// container keeps the codec's header. Throws as the constructor of Encoder. The caller has checked
// that the video may be encoded in shards (shard_rules.h).
std::unique_ptr<VideoEncoder> make_encoder(const EncoderChoice& choice, const VideoInfo& video,
                                           const EncoderOptions& options, bool global_header,
                                           const Notify& notify, const Notify& lose);

}  // namespace vidconv
