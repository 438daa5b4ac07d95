// VideoEncoder: what a sink sees of the encoder of a video, be it one or several at once.
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

  // Receives each packet: times in VideoInfo::time_base, the duration that of its frame. It may be
  // moved from. Called by the thread that has called write() or finish().
  using Receive = std::function<void(AVPacket&)>;

  // A frame on the device where EncoderOptions::device says so, else one of the host's.
  virtual void write(Frame frame, const Receive& receive) = 0;
  // No more frames: what is still inside comes out.
  virtual void finish(const Receive& receive) = 0;

  virtual const AVCodec& codec() const = 0;
  // What a container has to know of the stream.
  virtual void describe(AVCodecParameters& to) const = 0;
  // For people: "libx264 crf=23 preset=medium, yuv420p".
  virtual const std::string& description() const = 0;
  // Frames that have come out: as many as packets, but where one packet holds them all.
  virtual std::int64_t frames_out() const = 0;
  // Frames that an interruption has kept from coming out.
  virtual std::int64_t frames_left() const { return 0; }
  // Frames that come out although they were not given to write(): they were encoded elsewhere.
  virtual std::int64_t frames_brought() const { return 0; }
  virtual double seconds_brought() const { return 0; }  // of the video's time
  // Packets of other streams have come up to this time, microseconds: what was brought and is
  // decoded before may come out.
  virtual void others_came_to(std::int64_t, const Receive&) {}
  virtual bool joins_frames() const = 0;
  // How many parts have come out whole; 0 where the video is not encoded in parts.
  virtual std::int64_t parts_out() const { return 0; }
};

// One encoder, or several where EncoderOptions::shards says so. `global_header`: the container
// keeps the codec's header. Throws as the constructor of Encoder. Whether the video may be encoded
// in parts was checked (shard_rules.h).
std::unique_ptr<VideoEncoder> make_encoder(const EncoderChoice& choice, const VideoInfo& video,
                                           const EncoderOptions& options, bool global_header,
                                           const Notify& notify, const Notify& lose);

}  // namespace vidconv
