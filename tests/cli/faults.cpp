// Loaded before the program's libraries (LD_PRELOAD): one call into FFmpeg or the C library fails
// or loses what it was given, as VIDCONV_FAULT names it. The program itself knows nothing of this.
//
// With VIDCONV_DISK_BYTES the disk has room for so many bytes of all regular files together: writes
// fail then, or with VIDCONV_DISK_LATE only the close of a file, as where a file system allocates
// late. VIDCONV_DISK_ERROR is the errno.
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace {

constexpr int calls_before = 5;  // that go well

// Whether this call is the one.
bool now(std::string_view name, std::atomic<int>& calls) {
  static const char* const fault = std::getenv("VIDCONV_FAULT");
  return fault && name == fault && calls++ == calls_before;
}

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

struct Disk {
  long long left = -1;  // bytes; negative: without end
  int error = ENOSPC;
  bool late = false, full = false;

  Disk() {
    if (const char* bytes = std::getenv("VIDCONV_DISK_BYTES")) left = std::atoll(bytes);
    if (const char* code = std::getenv("VIDCONV_DISK_ERROR")) error = std::atoi(code);
    late = std::getenv("VIDCONV_DISK_LATE") != nullptr;
  }

  bool has(int fd) const {
    struct stat status;
    return left >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  }

  // How many of the bytes are written; 0 where the disk is full.
  std::size_t take(std::size_t bytes) {
    const std::size_t fits = std::min(bytes, static_cast<std::size_t>(left));
    left -= static_cast<long long>(fits);
    full |= fits < bytes;
    return late ? bytes : fits;
  }
};

Disk& disk() {
  static Disk disk;
  return disk;
}

}  // namespace

struct AVCodecContext;
struct AVFrame;
struct AVPacket;

extern "C" {

// "Not now", where the decoder is ready: the packet is lost.
int avcodec_send_packet(AVCodecContext* context, const AVPacket* packet) {
  static auto* const next = real<int(AVCodecContext*, const AVPacket*)>("avcodec_send_packet");
  static std::atomic<int> calls = 0;
  return now("lost packet", calls) ? -EAGAIN : next(context, packet);
}

// An encoded frame that nobody gets.
int avcodec_receive_packet(AVCodecContext* context, AVPacket* packet) {
  static auto* const next = real<int(AVCodecContext*, AVPacket*)>("avcodec_receive_packet");
  static std::atomic<int> calls = 0;
  const int code = next(context, packet);
  return code >= 0 && now("lost frame", calls) ? next(context, packet) : code;
}

// A decoder that drops a picture without a word.
int avcodec_receive_frame(AVCodecContext* context, AVFrame* frame) {
  static auto* const next = real<int(AVCodecContext*, AVFrame*)>("avcodec_receive_frame");
  static std::atomic<int> calls = 0;
  const int code = next(context, frame);
  return code >= 0 && now("silent decoder", calls) ? next(context, frame) : code;
}

AVPacket* av_packet_alloc() {
  static auto* const next = real<AVPacket*()>("av_packet_alloc");
  static std::atomic<int> calls = 0;
  return now("no packet", calls) ? nullptr : next();
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  static auto* const next = real<void*(std::size_t, std::size_t)>("aligned_alloc");
  static std::atomic<int> calls = calls_before;
  // Frames; smaller things are not checked for.
  return size > 4096 && now("no memory", calls) ? nullptr : next(alignment, size);
}

ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  const std::size_t fits = size > 0 && disk().has(fd) ? disk().take(size) : size;
  if (fits > 0 || size == 0) return next(fd, bytes, fits);
  errno = disk().error;
  return -1;
}

ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* const next = real<ssize_t(int, const iovec*, int)>("writev");
  if (count == 0 || !disk().has(fd)) return next(fd, parts, count);
  return write(fd, parts[0].iov_base, parts[0].iov_len);  // a short write, as it may be
}

int close(int fd) {
  static auto* const next = real<int(int)>("close");
  const bool fails = disk().late && disk().full && disk().has(fd);
  const int code = next(fd);
  if (!fails) return code;
  errno = disk().error;
  return -1;
}
}
