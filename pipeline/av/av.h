// libav* objects as C++ values: owning pointers, errors as exceptions, and the few places where
// the FFmpeg versions we build with (5.1 to 7.x; 9.0's headers compile) differ.
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

// FFmpeg 6.1 has this by another name, and 8 no longer by the old one.
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

// Where frames go back to instead of being freed: a pool's, see pool.h.
class FrameHome {
 public:
  virtual ~FrameHome() = default;
  // False where it does not want the frame. Any thread; throws nothing.
  virtual bool take_back(AVFrame& frame) noexcept = 0;
};
struct FrameDeleter {
  std::shared_ptr<FrameHome> home;  // may be none
  void operator()(AVFrame* p) const;
};
using FramePtr = std::unique_ptr<AVFrame, FrameDeleter>;
using PacketPtr = std::unique_ptr<AVPacket, AvDeleter>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, AvDeleter>;
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, AvDeleter>;
using SwsPtr = std::unique_ptr<SwsContext, AvDeleter>;
using BufferPtr = std::unique_ptr<AVBufferRef, AvDeleter>;

// Containers are closed in two ways, by who opened them.
struct InputCloser {
  void operator()(AVFormatContext* p) const;
};
struct OutputCloser {  // does not touch the AVIOContext
  void operator()(AVFormatContext* p) const;
};
using InputPtr = std::unique_ptr<AVFormatContext, InputCloser>;
using OutputPtr = std::unique_ptr<AVFormatContext, OutputCloser>;

// Never null, and empty. Throw Error(memory).
FramePtr make_frame();
PacketPtr make_packet();
// Another reference to the same data.
PacketPtr share_packet(const AVPacket& packet);
// Times, colours, side data: all but the picture, its size and format.
void copy_properties(const AVFrame& from, AVFrame& to);

// libav*'s words for an error code.
std::string av_message(int code);

// Returns `code` where it is not negative, else throws Error(kind or fault, what, value, ...) whose
// reason is what libav* last logged on this thread, or else the words for the code. Error(memory)
// where that is the reason, unless the input is at fault. Allocates nothing where nothing failed.
int check_av(int code, MessageKind kind, std::string_view what, std::string_view value = {});
int check_av(int code, Fault fault, std::string_view what, std::string_view value = {});
// The same for a code that is negative.
[[noreturn]] void throw_av(int code, MessageKind kind, std::string_view what,
                           const Error::Value& value);

// The pixel formats that an encoder takes; empty where it does not say.
std::vector<AVPixelFormat> supported_formats(const AVCodec& encoder);

// How long a frame is shown, in its time base; 0 where unknown.
std::int64_t frame_duration(const AVFrame& frame);
void set_frame_duration(AVFrame& frame, std::int64_t duration);

bool is_interlaced(const AVFrame& frame);
bool is_top_field_first(const AVFrame& frame);
void set_interlaced(AVFrame& frame, bool interlaced, bool top_field_first);

// The value of an enumeration that libav* may have read off a file, where it counts among the
// first `count`, else `unknown`: to load a code that an enumeration does not have is undefined.
template <class E>
E known(const E& value, E count, E unknown) {
  int code;
  static_assert(sizeof code == sizeof value);
  std::memcpy(&code, &value, sizeof code);
  return code >= 0 && code < static_cast<int>(count) ? static_cast<E>(code) : unknown;
}

// Colours that this libav* has no names for are unknown.
void forget_unknown_colours(AVFrame& frame);

// Makes the frame one that an encoder may type as it likes: the decoder's picture type would force
// key frames.
void forget_picture_type(AVFrame& frame);

// Gives a stream a copy of `size` bytes of side data, in place of what it has of that type.
void set_side_data(AVStream& stream, AVPacketSideDataType type, const void* data, std::size_t size);

// Copies what a stream carries beside its packets and that stays true when its pictures are
// filtered: rotation, unless they are `turned` upright, stereo and spherical layout, mastering
// display, content light level.
void copy_picture_side_data(const AVStream& from, AVStream& to, bool turned = false);
// What it has of these.
std::vector<AVPacketSideDataType> picture_side_data(const AVStream& stream);
// Empty where it has none of that type. Belongs to the stream.
std::span<const std::uint8_t> side_data(const AVStream& stream, AVPacketSideDataType type);

}  // namespace vidconv
