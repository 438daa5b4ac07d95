#include "pipeline/pipe_io.h"

#include <utility>

namespace vidconv {

PipeIo::PipeIo(std::unique_ptr<ByteReader> reader) : reader_(std::move(reader)) {
  constexpr int buffer_bytes = 256 << 10;
  auto* buffer = static_cast<std::uint8_t*>(av_malloc(buffer_bytes));
  context_ = avio_alloc_context(buffer, buffer_bytes, 0, this, read, nullptr, nullptr);
  if (!buffer || !context_) throw Error(Fault::internal, "out of memory", "", "");
}

PipeIo::~PipeIo() {
  av_freep(&context_->buffer);  // which libavformat may have replaced
  avio_context_free(&context_);
}

int PipeIo::read(void* opaque, std::uint8_t* to, int count) {
  ByteReader& reader = *static_cast<PipeIo*>(opaque)->reader_;
  try {
    const std::size_t got =
        reader.read_some({reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count)});
    if (got > 0) return static_cast<int>(got);
    return reader.stopped() ? AVERROR_EXIT : AVERROR_EOF;
  } catch (const Error&) {
    return AVERROR(EIO);
  }
}

}  // namespace vidconv
