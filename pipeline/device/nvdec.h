// NVDEC: what the pipeline needs to know of the decoder on a CUDA device, through libavcodec's
// hardware acceleration. No CUDA header here.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// libavcodec's own decoder of the codec where a CUDA device can work for it and gives the pictures
// that the CPU gives, else nullptr. What the
// chip makes of a stream is known only when it is tried.
const AVCodec* find_nvdec_codec(AVCodecID id);

// How many sessions may decode side by side, and how many of their frames may wait for their turn,
// on this device as much memory of it is free; `frame_bytes` of one frame. At least 1 and 8.
// Throws Error(device).
struct NvdecShare {
  int sessions;
  std::size_t frames;
};
NvdecShare share_device(int device, std::size_t frame_bytes, std::optional<int> sessions);

// The device's memory for decoded frames, which sessions share.
struct NvdecMemory {
  explicit NvdecMemory(int index);
  const int device;  // as in cuda:N
  ChangingPool pool;
};

// The decoded pictures of one session: taken out of the decoder, whose few surfaces they would
// occupy, into planes of the table's formats, as the CPU's decoders leave them.
class NvdecPictures {
 public:
  // Throws Error(device) where there is no such device, or no decoder library.
  explicit NvdecPictures(std::shared_ptr<NvdecMemory> memory);
  ~NvdecPictures();
  NvdecPictures(const NvdecPictures&) = delete;
  NvdecPictures& operator=(const NvdecPictures&) = delete;

  // For AVCodecContext::hw_device_ctx; belongs to this object.
  AVBufferRef* device() const;

  // `coded`: the format that a CPU's decoder would give.
  static bool can_take(AVPixelFormat coded);
  // The same picture and properties in the device's memory, in the plain `coded` format. Waits for
  // the copy, some 20 us, so that the decoder's surface is free at once; this is the session's own
  // thread. Throws Error(device).
  FramePtr take(FramePtr frame, AVPixelFormat coded);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vidconv
