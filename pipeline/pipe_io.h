// PipeIo: libavformat's view of a ByteReader.
#pragma once

#include <memory>

#include "pipeline/av.h"
#include "pipeline/byte_io.h"

namespace vidconv {

class PipeIo {
 public:
  explicit PipeIo(std::unique_ptr<ByteReader> reader);
  ~PipeIo();
  PipeIo(const PipeIo&) = delete;
  PipeIo& operator=(const PipeIo&) = delete;

  // For AVFormatContext::pb; outlives the container.
  AVIOContext* context() { return context_; }
  // Makes a read that waits return. Any thread.
  void cancel() { reader_->cancel(); }

 private:
  static int read(void* opaque, std::uint8_t* to, int count);

  std::unique_ptr<ByteReader> reader_;
  AVIOContext* context_;
};

}  // namespace vidconv
