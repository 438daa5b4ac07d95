// NVDEC decodes on a CUDA device, through libavcodec's hardware acceleration. No CUDA header here.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "pipeline/av/av.h"
#include "pipeline/av/pool.h"

namespace vidconv {

// Returns libavcodec's own decoder of the codec if a CUDA device can work for it and gives the
// pictures that the CPU gives, else nullptr. Only a trial tells what the chip makes of a stream.
const AVCodec* find_nvdec_codec(AVCodecID id);

// Sessions that may decode side by side on a device, at least 1, and their frames that may wait for
// their turn, at least 8.
struct NvdecShare {
  int sessions;
  std::size_t frames;
};
// Returns the share that the device's free memory allows. `frame_bytes`: of one frame; `sessions`:
// none: as many as fit. Throws Error(device).
NvdecShare share_device(int device, std::size_t frame_bytes, std::optional<int> sessions);

// Device memory for decoded frames, which sessions share.
struct NvdecMemory {
  explicit NvdecMemory(int index);
  const int device;  // as in cuda:N
  ChangingPool pool;
};

// Takes the decoded pictures of one session out of the decoder, whose few surfaces they would
// occupy, into planes of the table's formats, as the CPU's decoders leave them.
class NvdecPictures {
 public:
  // Throws Error(device) if there is no such device, or no decoder library.
  explicit NvdecPictures(std::shared_ptr<NvdecMemory> memory);
  ~NvdecPictures();
  NvdecPictures(const NvdecPictures&) = delete;
  NvdecPictures& operator=(const NvdecPictures&) = delete;

  // Returns the AVCodecContext::hw_device_ctx, which belongs to this object.
  AVBufferRef* device() const;

  // Returns whether take() can give `coded`, the format that a CPU's decoder would give.
  static bool can_take(AVPixelFormat coded);
  // Returns the picture with its properties in the device's memory, in the plain `coded` format.
  // Blocks for the copy, some 20 us, so that the decoder's surface is free at once; this is the
  // session's own thread. Throws Error(device).
  FramePtr take(FramePtr frame, AVPixelFormat coded);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vidconv
