// Holds libav* objects as C++ values: owning pointers, errors as exceptions, and the few places
// where the supported FFmpeg versions (5.1 to 7.x; 9.0's headers compile) differ.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/buffer.h>
#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.h"

struct SwsContext;

namespace vidconv {

// FFmpeg 6.1 renamed this; FFmpeg 8 dropped the old name.
#ifdef AV_PROFILE_UNKNOWN
inline constexpr int unknown_profile = AV_PROFILE_UNKNOWN;
#else
inline constexpr int unknown_profile = FF_PROFILE_UNKNOWN;
#endif

struct AvDeleter {
  void operator()(AVPacket* p) const;
  void operator()(AVCodecContext* p) const;
  void operator()(AVCodecParameters* p) const;
  void operator()(SwsContext* p) const;
  void operator()(AVBufferRef* p) const;
};

// Takes frames back instead of their being freed: a pool does so, see pool.h.
class FrameHome {
 public:
  virtual ~FrameHome() = default;
  // Returns false where it does not want the frame. Thread-safe; throws nothing.
  virtual bool take_back(AVFrame& frame) noexcept = 0;
};
struct FrameDeleter {
  std::shared_ptr<FrameHome> home;  // may be null
  void operator()(AVFrame* p) const;
};
using FramePtr = std::unique_ptr<AVFrame, FrameDeleter>;
using PacketPtr = std::unique_ptr<AVPacket, AvDeleter>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, AvDeleter>;
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, AvDeleter>;
using SwsPtr = std::unique_ptr<SwsContext, AvDeleter>;
using BufferPtr = std::unique_ptr<AVBufferRef, AvDeleter>;

// Input and output containers are closed in different ways.
struct InputCloser {
  void operator()(AVFormatContext* p) const;
};
struct OutputCloser {  // does not touch the AVIOContext
  void operator()(AVFormatContext* p) const;
};
using InputPtr = std::unique_ptr<AVFormatContext, InputCloser>;
using OutputPtr = std::unique_ptr<AVFormatContext, OutputCloser>;

// Return an empty object, never null. Throw Error(memory).
FramePtr make_frame();
PacketPtr make_packet();
// Returns another reference to the same data.
PacketPtr share_packet(const AVPacket& packet);
// Copies times, colours and side data: all but the picture, its size and format.
void copy_properties(const AVFrame& from, AVFrame& to);

// Returns libav*'s words for an error code.
std::string av_message(int code);

// Returns `code` where it is not negative, else throws Error(kind or fault, what, value, ...) whose
// reason is what libav* last logged on this thread, or else the words for the code. Throws
// Error(memory) where memory ran out, unless the input is at fault. Allocates nothing where nothing
// failed.
int check_av(int code, MessageKind kind, std::string_view what, std::string_view value = {});
int check_av(int code, Fault fault, std::string_view what, std::string_view value = {});
// Throws as check_av() does; `code` is negative.
[[noreturn]] void throw_av(int code, MessageKind kind, std::string_view what,
                           const Error::Value& value);

// Returns the pixel formats that an encoder takes; empty where it does not say.
std::vector<AVPixelFormat> supported_formats(const AVCodec& encoder);

// Returns how long a frame is shown, in its time base; 0 where unknown.
std::int64_t frame_duration(const AVFrame& frame);
void set_frame_duration(AVFrame& frame, std::int64_t duration);

bool is_interlaced(const AVFrame& frame);
bool is_top_field_first(const AVFrame& frame);
void set_interlaced(AVFrame& frame, bool interlaced, bool top_field_first);

// Returns an enumeration's value that libav* may have read from a file if it is among the first
// `count`, else `unknown`: to load a value that an enumeration does not have is undefined.
template <class E>
E known(const E& value, E count, E unknown) {
  int code;
  static_assert(sizeof code == sizeof value);
  std::memcpy(&code, &value, sizeof code);
  return code >= 0 && code < static_cast<int>(count) ? static_cast<E>(code) : unknown;
}

// Sets colours that this libav* has no names for to unknown.
void forget_unknown_colours(AVFrame& frame);

// Clears the decoder's picture type, which would force key frames on an encoder.
void forget_picture_type(AVFrame& frame);

// Gives a stream a copy of `size` bytes of side data, replacing any it has of that type.
void set_side_data(AVStream& stream, AVPacketSideDataType type, const void* data, std::size_t size);

// Copies the side data of a stream that stays true when its pictures are filtered: rotation, unless
// they are `turned` upright, stereo and spherical layout, mastering display, content light level.
void copy_picture_side_data(const AVStream& from, AVStream& to, bool turned = false);
// Returns the types that copy_picture_side_data() would copy from `stream`.
std::vector<AVPacketSideDataType> picture_side_data(const AVStream& stream);
// Returns an empty span where there is none of that type. The stream owns the bytes.
std::span<const std::uint8_t> side_data(const AVStream& stream, AVPacketSideDataType type);

}  // namespace vidconv
