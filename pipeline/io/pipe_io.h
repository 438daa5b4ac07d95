// PipeInput and PipeOutput wrap a ByteReader and a ByteWriter for libavformat. It then opens no
// output by itself.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "pipeline/av/av.h"
#include "pipeline/io/byte_io.h"

namespace vidconv {

// libavformat passes bytes of this type to a write function.
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
  // Keeps the first `kept` bytes that are read.
  PipeInput(std::unique_ptr<ByteReader> reader, std::size_t kept);

  // Serves as AVFormatContext::pb; outlives the container.
  AVIOContext* context() { return context_.get(); }
  // Makes a blocked read return. Thread-safe.
  void cancel() { reader_->cancel(); }
  // Throws again what the reader has thrown into libavformat, if anything.
  void rethrow() const;

  // Describe what was read so far.
  std::string_view beginning() const { return beginning_; }
  std::int64_t length() const { return length_; }
  int last() const { return last_; }  // byte; -1 where there is none

 private:
  static int read(void* opaque, std::uint8_t* to, int count) noexcept;

  std::unique_ptr<ByteReader> reader_;
  const std::size_t kept_;
  std::string beginning_;
  std::int64_t length_ = 0;
  int last_ = -1;
  std::exception_ptr failure_;
  AvioPtr context_;
};

class PipeOutput {
 public:
  // `writer` outlives this object. `seeks`: it writes to a file that belongs to it alone.
  PipeOutput(ByteWriter& writer, bool seeks);

  // Makes the container write here, and read its own output where it asks for that: some muxers go
  // over the file once more. Outlives the container.
  void connect(AVFormatContext& container);
  // Throws again what the writer has thrown into libavformat, if anything.
  void rethrow() const;

 private:
  // Reads what was written, from the beginning.
  struct Reader {
    explicit Reader(const ByteWriter& written);
    static int read(void* opaque, std::uint8_t* to, int count) noexcept;
    static std::int64_t seek(void* opaque, std::int64_t offset, int whence) noexcept;

    const ByteWriter& file;
    std::int64_t at = 0;
    AvioPtr context;
  };

  static int write(void* opaque, AvioBytes from, int count) noexcept;
  static std::int64_t seek(void* opaque, std::int64_t offset, int whence) noexcept;
  static int open_reader(AVFormatContext* container, AVIOContext** reader, const char* url,
                         int flags, AVDictionary** options) noexcept;
  static int close_reader(AVFormatContext* container, AVIOContext* reader) noexcept;

  ByteWriter& writer_;
  std::exception_ptr failure_;
  AvioPtr context_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace vidconv
