#include "pipeline/io/pipe_io.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

namespace vidconv {
namespace {

constexpr int buffer_bytes = 256 << 10;

using Read = int(void* opaque, std::uint8_t* to, int count) noexcept;
using Write = int(void* opaque, AvioBytes from, int count) noexcept;
using Seek = std::int64_t(void* opaque, std::int64_t offset, int whence) noexcept;

AvioPtr make_context(void* opaque, bool writes, Read* read, Write* write, Seek* seek) {
  auto* buffer = static_cast<std::uint8_t*>(av_malloc(buffer_bytes));
  AvioPtr context(avio_alloc_context(buffer, buffer_bytes, writes, opaque, read, write, seek));
  if (!buffer || !context) throw_out_of_memory("for the buffer of a pipe");
  return context;
}

}  // namespace

void AvioDeleter::operator()(AVIOContext* p) const {
  av_freep(&p->buffer);  // libavformat may have replaced it
  avio_context_free(&p);
}

PipeInput::PipeInput(std::unique_ptr<ByteReader> reader, std::size_t kept)
    : reader_(std::move(reader)),
      kept_(kept),
      context_(make_context(this, false, read, nullptr, nullptr)) {}

int PipeInput::read(void* opaque, std::uint8_t* to, int count) noexcept {
  PipeInput& self = *static_cast<PipeInput*>(opaque);
  if (self.failure_) return AVERROR(EIO);
  ByteReader& reader = *self.reader_;
  try {
    const std::size_t got =
        reader.read_some({reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count)});
    if (got > 0) {
      self.length_ += static_cast<std::int64_t>(got);
      self.last_ = to[got - 1];
      if (const std::size_t have = self.beginning_.size(); have < self.kept_)
        self.beginning_.append(reinterpret_cast<const char*>(to), std::min(got, self.kept_ - have));
      return static_cast<int>(got);
    }
    return reader.stopped() ? AVERROR_EXIT : AVERROR_EOF;
  } catch (...) {
    self.failure_ = std::current_exception();
    return AVERROR(EIO);
  }
}

void PipeInput::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

PipeOutput::PipeOutput(ByteWriter& writer, bool seeks)
    : writer_(writer), context_(make_context(this, true, nullptr, write, seeks ? seek : nullptr)) {}

void PipeOutput::connect(AVFormatContext& container) {
  container.pb = context_.get();
  container.opaque = this;
  container.io_open = open_reader;
  container.io_close2 = close_reader;
}

int PipeOutput::write(void* opaque, AvioBytes from, int count) noexcept {
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

std::int64_t PipeOutput::seek(void* opaque, std::int64_t offset, int whence) noexcept {
  ByteWriter& writer = static_cast<PipeOutput*>(opaque)->writer_;
  const std::int64_t at =
      whence == AVSEEK_SIZE ? writer.size() : writer.seek(offset, whence & ~AVSEEK_FORCE);
  return at >= 0 ? at : AVERROR(errno);
}

void PipeOutput::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

int PipeOutput::open_reader(AVFormatContext* container, AVIOContext** reader, const char* url,
                            int flags, AVDictionary**) noexcept {
  PipeOutput& self = *static_cast<PipeOutput*>(container->opaque);
  const bool own = self.context_->seek && !self.reader_ && std::string_view(url) == container->url;
  if (!own || (flags & AVIO_FLAG_WRITE)) {
    av_log(container, AV_LOG_ERROR, "only one file is written, not '%s' too\n", url);
    return AVERROR(EPERM);
  }
  try {
    self.reader_ = std::make_unique<Reader>(self.writer_);
  } catch (...) {
    return AVERROR(ENOMEM);
  }
  *reader = self.reader_->context.get();
  return 0;
}

int PipeOutput::close_reader(AVFormatContext* container, AVIOContext*) noexcept {
  static_cast<PipeOutput*>(container->opaque)->reader_.reset();
  return 0;
}

PipeOutput::Reader::Reader(const ByteWriter& written)
    : file(written), context(make_context(this, false, read, nullptr, seek)) {}

int PipeOutput::Reader::read(void* opaque, std::uint8_t* to, int count) noexcept {
  Reader& self = *static_cast<Reader*>(opaque);
  const std::int64_t got = self.file.read_at(
      self.at, {reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(count)});
  if (got < 0) return AVERROR(errno);
  self.at += got;
  return got > 0 ? static_cast<int>(got) : AVERROR_EOF;
}

std::int64_t PipeOutput::Reader::seek(void* opaque, std::int64_t offset, int whence) noexcept {
  Reader& self = *static_cast<Reader*>(opaque);
  const std::int64_t size = self.file.size();
  if (whence == AVSEEK_SIZE) return size;
  whence &= ~AVSEEK_FORCE;
  return self.at = offset + (whence == SEEK_CUR ? self.at : whence == SEEK_END ? size : 0);
}

}  // namespace vidconv
