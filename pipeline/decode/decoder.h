// VideoDecoder turns packets of a video stream into frames in the pipeline's memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pipeline/av/av_log.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/av/pool.h"
#include "pipeline/base/notice.h"
#include "pipeline/device/nvdec.h"

namespace vidconv {

// Takes packets and returns frames. Not thread-safe but for members that say so.
class VideoDecoder {
 public:
  virtual ~VideoDecoder() = default;

  enum class Result : std::uint8_t {
    done,     // send: the packet was taken; receive: here is a frame
    again,    // send: receive first; receive: send first
    damaged,  // the data makes no sense; go on with the next
    refused,  // the device cannot decode this stream; nothing will come
    end,      // receive: nothing more will come
  };

  // Takes a packet; nullptr: no more packets. Throws Error for what is not the data's fault.
  virtual Result send(const AVPacket* packet) = 0;
  // Returns a frame in a format of the table, its range in color_range, in one buffer; where the
  // codec can write into foreign memory it was decoded there.
  virtual Result receive(FramePtr& frame) = 0;

  // Returns whether frames lie in memory of the CUDA device.
  virtual bool on_device() const = 0;
  // Return how often the codec has complained so far, and its first complaint; thread-safe.
  virtual std::int64_t errors() const = 0;
  virtual std::string first_error() const = 0;
  // Makes a receive() that waits return. Thread-safe.
  virtual void cancel() {}
  virtual std::size_t memory() const = 0;  // bytes of frames on the host; thread-safe
};

struct DecoderOptions {
  int threads = 0;                               // 0: as many as the codec likes
  std::int64_t max_pixels = default_max_pixels;  // pixels of a picture; larger ones are damage
  // Every picture comes out as soon as it can: threads share a picture instead of having one each.
  bool low_delay = false;
  FrameMemory memory = plain_memory;
  Notify notify;
  std::shared_ptr<NvdecMemory> nvdec;  // the CUDA device's that decodes; null: the CPU does
};

// Returns whether the video's transparency is a second picture beside each packet, as WebM has it.
// libvpx alone of FFmpeg's decoders reads it.
bool has_alpha_beside(const AVStream& stream);

class Decoder : public VideoDecoder {
 public:
  // Throws Error(input).
  Decoder(const AVStream& stream, const DecoderOptions& options);
  ~Decoder() override;

  Result send(const AVPacket* packet) override;
  Result receive(FramePtr& frame) override;
  bool on_device() const override { return pictures_ != nullptr; }
  std::int64_t errors() const override { return errors_.count(); }
  std::string first_error() const override;
  std::size_t memory() const override;

  // Returns whether the device cannot decode the stream, or go on with it: complaints are about
  // that.
  bool refused() const { return refused_; }
  // Makes the decoder ready, after the end, for packets from a key frame on.
  void restart();

 private:
  static int get_buffer(AVCodecContext* context, AVFrame* frame, int flags) noexcept;
  static AVPixelFormat choose_format(AVCodecContext* context,
                                     const AVPixelFormat* offered) noexcept;
  FramePtr normalise(FramePtr frame);
  Result judge(int code);
  bool changes() const;
  void refuse(const char* why);
  bool refuses(int width, int height) const;

  // The properties that the device was set up for.
  struct Sequence {
    int coded_width, coded_height;
    AVPixelFormat format;
    bool operator==(const Sequence&) const = default;
  };

  const int width_, height_;  // from the stream's header; 0: unknown
  const std::int64_t max_pixels_;
  const FrameMemory memory_;
  const Notify notify_;
  std::unique_ptr<NvdecPictures> pictures_;  // null unless a device decodes
  std::optional<Sequence> sequence_;
  std::atomic<bool> refused_ = false;
  std::string refusal_;       // the reason, if it is known
  ChangingPool pool_;         // the codec's threads ask it for frames
  mutable std::mutex mutex_;  // guards the converter and refusal_
  std::optional<Converter> converter_;
  AvErrors errors_;
  CodecContextPtr context_;
};

}  // namespace vidconv
