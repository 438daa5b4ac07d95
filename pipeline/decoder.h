// Decoder: packets of one video stream to frames in the pipeline's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "pipeline/av_log.h"
#include "pipeline/convert.h"
#include "pipeline/notice.h"
#include "pipeline/pool.h"

namespace vidconv {

class Decoder {
 public:
  // `threads`: 0 for as many as the codec likes. Throws Error(input).
  Decoder(const AVStream& stream, int threads, const HostMemory& memory, Notify notify);
  ~Decoder();

  enum class Result : std::uint8_t {
    done,     // send: the packet was taken; receive: here is a frame
    again,    // send: receive first; receive: send first
    damaged,  // the data makes no sense; go on with the next
    end,      // receive: nothing more will come
  };

  // nullptr: no more packets. Throws Error for what is not the data's fault.
  Result send(const AVPacket* packet);
  // The frame has a format of the table, its range in color_range, and lies in one buffer; where
  // the codec can write into foreign memory it was decoded there.
  Result receive(FramePtr& frame);

  // What the codec has complained about so far.
  const AvErrors& errors() const { return errors_; }
  std::size_t memory() const;  // bytes of frames; any thread

 private:
  static int get_buffer(AVCodecContext* context, AVFrame* frame, int flags);
  std::shared_ptr<FramePool> pool_for(const FrameLayout& layout);
  FramePtr normalise(FramePtr frame);
  Result judge(int code);

  const HostMemory memory_;
  const Notify notify_;
  mutable std::mutex mutex_;  // of the two below: the codec's threads ask for frames
  std::shared_ptr<FramePool> pool_;
  std::optional<Converter> converter_;
  AvErrors errors_;
  CodecContextPtr context_;
};

}  // namespace vidconv
