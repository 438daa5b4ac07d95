// PipeInput, PipeOutput: libavformat's view of a ByteReader and a ByteWriter.
#pragma once

#include <exception>
#include <memory>

#include "pipeline/av.h"
#include "pipeline/byte_io.h"

namespace vidconv {

// What libavformat gives a function that writes.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
using AvioBytes = const std::uint8_t*;
#else
using AvioBytes = std::uint8_t*;
#endif

struct AvioDeleter {
  void operator()(AVIOContext* p) const;
};
using AvioPtr = std::unique_ptr<AVIOContext, AvioDeleter>;

class PipeInput {
 public:
  explicit PipeInput(std::unique_ptr<ByteReader> reader);

  // For AVFormatContext::pb; outlives the container.
  AVIOContext* context() { return context_.get(); }
  // Makes a read that waits return. Any thread.
  void cancel() { reader_->cancel(); }

 private:
  static int read(void* opaque, std::uint8_t* to, int count);

  std::unique_ptr<ByteReader> reader_;
  AvioPtr context_;
};

class PipeOutput {
 public:
  // `writer` outlives this object.
  explicit PipeOutput(ByteWriter& writer);

  // For AVFormatContext::pb; outlives the container.
  AVIOContext* context() { return context_.get(); }
  // Throws again what the writer has thrown into libavformat; does nothing where it has not.
  void rethrow() const;

 private:
  static int write(void* opaque, AvioBytes from, int count);

  ByteWriter& writer_;
  std::exception_ptr failure_;
  AvioPtr context_;
};

}  // namespace vidconv
