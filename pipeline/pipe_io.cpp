#include "pipeline/pipe_io.h"

#include <string_view>
#include <utility>

namespace vidconv {
namespace {

constexpr int buffer_bytes = 256 << 10;

AvioPtr make_context(void* opaque, bool writes, int (*read)(void*, std::uint8_t*, int),
                     int (*write)(void*, AvioBytes, int)) {
  auto* buffer = static_cast<std::uint8_t*>(av_malloc(buffer_bytes));
  AvioPtr context(avio_alloc_context(buffer, buffer_bytes, writes, opaque, read, write, nullptr));
  if (!buffer || !context) throw_out_of_memory("for the buffer of a pipe");
  return context;
}

}  // namespace

void AvioDeleter::operator()(AVIOContext* p) const {
  av_freep(&p->buffer);  // which libavformat may have replaced
  avio_context_free(&p);
}

PipeInput::PipeInput(std::unique_ptr<ByteReader> reader)
    : reader_(std::move(reader)), context_(make_context(this, false, read, nullptr)) {}

int PipeInput::read(void* opaque, std::uint8_t* to, int count) {
  ByteReader& reader = *static_cast<PipeInput*>(opaque)->reader_;
  try {
    const std::size_t got =
        reader.read_some({reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count)});
    if (got > 0) return static_cast<int>(got);
    return reader.stopped() ? AVERROR_EXIT : AVERROR_EOF;
  } catch (const Error&) {
    return AVERROR(EIO);
  }
}

PipeOutput::PipeOutput(ByteWriter& writer)
    : writer_(writer), context_(make_context(this, true, nullptr, write)) {}

int PipeOutput::write(void* opaque, AvioBytes from, int count) {
  PipeOutput& self = *static_cast<PipeOutput*>(opaque);
  if (self.failure_) return AVERROR(EPIPE);
  try {
    self.writer_.write({reinterpret_cast<const char*>(from), static_cast<std::size_t>(count)});
    return count;
  } catch (...) {
    self.failure_ = std::current_exception();
    return AVERROR(EPIPE);
  }
}

void PipeOutput::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace vidconv
