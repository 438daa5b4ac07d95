// Loaded before the program's libraries (LD_PRELOAD): one call into FFmpeg or the C library fails
// or loses what it was given, as VIDCONV_FAULT names it. The program itself knows nothing of this.
#include <dlfcn.h>

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
}
