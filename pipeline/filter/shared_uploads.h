// SharedUploads: where several outputs filter the same frames on a CUDA device, the first that
// wants a frame copies it there, and all read that copy.
#pragma once

#include <memory>

namespace vidconv {

// One decoded frame's copies in the memory of devices. Every reference to the frame that may still
// be filtered has it (Frame::upload()); the memory is free again when the last one lets go.
class SharedUpload;

// The memory for such copies. Thread-safe; outlives all processors that use it.
class SharedUploads {
 public:
  virtual ~SharedUploads() = default;
  // Makes what the references to one more frame have. Copies nothing yet.
  virtual std::shared_ptr<SharedUpload> make() = 0;
};

// Returns nullptr in a build without CUDA.
std::unique_ptr<SharedUploads> make_shared_uploads();

}  // namespace vidconv
