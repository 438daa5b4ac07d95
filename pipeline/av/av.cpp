#include "pipeline/av/av.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <cstring>

#include "pipeline/av/av_log.h"

namespace vidconv {

namespace {

const AVPacketSideDataType carried[] = {
    AV_PKT_DATA_DISPLAYMATRIX,       AV_PKT_DATA_STEREO3D,
    AV_PKT_DATA_SPHERICAL,           AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
    AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_ICC_PROFILE,
};

}  // namespace

void FrameDeleter::operator()(AVFrame* p) const {
  if (p && home && home->take_back(*p)) return;
  av_frame_free(&p);
}
void AvDeleter::operator()(AVPacket* p) const { av_packet_free(&p); }
void AvDeleter::operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
void AvDeleter::operator()(AVCodecParameters* p) const { avcodec_parameters_free(&p); }
void AvDeleter::operator()(SwsContext* p) const { sws_freeContext(p); }
void AvDeleter::operator()(AVBufferRef* p) const { av_buffer_unref(&p); }
void InputCloser::operator()(AVFormatContext* p) const { avformat_close_input(&p); }
void OutputCloser::operator()(AVFormatContext* p) const { avformat_free_context(p); }

FramePtr make_frame() {
  FramePtr frame(av_frame_alloc());
  if (!frame) throw_out_of_memory("for a frame");
  return frame;
}

PacketPtr make_packet() {
  PacketPtr packet(av_packet_alloc());
  if (!packet) throw_out_of_memory("for a packet");
  return packet;
}

PacketPtr share_packet(const AVPacket& packet) {
  PacketPtr other = make_packet();
  check_av(av_packet_ref(other.get(), &packet), Fault::internal, "cannot keep a packet");
  return other;
}

void copy_properties(const AVFrame& from, AVFrame& to) {
  check_av(av_frame_copy_props(&to, &from), Fault::internal,
           "cannot copy the properties of a frame");
}

std::string av_message(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

void throw_av(int code, MessageKind kind, std::string_view what, const Error::Value& value) {
  const std::string line = take_av_line();
  const bool of_memory = code == AVERROR(ENOMEM), of_input = kind_of(kind).fault == Fault::input;
  if (of_memory && !of_input) throw_out_of_memory(fmt::format("({})", what), value);
  // A broken input may ask for more than there ever is.
  throw Error(kind, std::string(what), value, line.empty() ? av_message(code) : line,
              of_memory ? "there is too little memory, or it is damaged" : "");
}

int check_av(int code, MessageKind kind, std::string_view what, std::string_view value) {
  if (code < 0) throw_av(code, kind, what, value);
  take_av_line();
  return code;
}

int check_av(int code, Fault fault, std::string_view what, std::string_view value) {
  return check_av(code, usual_kind(fault), what, value);
}

std::vector<AVPixelFormat> supported_formats(const AVCodec& encoder) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void* list = nullptr;
  int count = 0;
  if (avcodec_get_supported_config(nullptr, &encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &list,
                                   &count) < 0 ||
      !list)
    return {};
  const auto* formats = static_cast<const AVPixelFormat*>(list);
  return {formats, formats + count};
#else
  std::vector<AVPixelFormat> formats;
  for (const AVPixelFormat* p = encoder.pix_fmts; p && *p != AV_PIX_FMT_NONE; ++p)
    formats.push_back(*p);
  return formats;
#endif
}

std::int64_t frame_duration(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return frame.duration;
#else
  return frame.pkt_duration;
#endif
}

void set_frame_duration(AVFrame& frame, std::int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  frame.duration = duration;
#else
  frame.pkt_duration = duration;
#endif
}

#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
namespace {
void set_flag(AVFrame& frame, int flag, bool on) {
  frame.flags = on ? frame.flags | flag : frame.flags & ~flag;
}
}  // namespace

bool is_interlaced(const AVFrame& frame) { return frame.flags & AV_FRAME_FLAG_INTERLACED; }
bool is_top_field_first(const AVFrame& frame) {
  return frame.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
}
// FFmpeg 6.1 to 7.1 have the names of before too, and encoders heed whichever says yes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void set_interlaced(AVFrame& frame, bool interlaced, bool top_field_first) {
  set_flag(frame, AV_FRAME_FLAG_INTERLACED, interlaced);
  set_flag(frame, AV_FRAME_FLAG_TOP_FIELD_FIRST, top_field_first);
#if FF_API_INTERLACED_FRAME
  frame.interlaced_frame = interlaced;
  frame.top_field_first = top_field_first;
#endif
}
void forget_picture_type(AVFrame& frame) {
  frame.pict_type = AV_PICTURE_TYPE_NONE;
  set_flag(frame, AV_FRAME_FLAG_KEY, false);
#if FF_API_FRAME_KEY
  frame.key_frame = 0;
#endif
}
#pragma GCC diagnostic pop
#else
bool is_interlaced(const AVFrame& frame) { return frame.interlaced_frame != 0; }
bool is_top_field_first(const AVFrame& frame) { return frame.top_field_first != 0; }
void set_interlaced(AVFrame& frame, bool interlaced, bool top_field_first) {
  frame.interlaced_frame = interlaced;
  frame.top_field_first = top_field_first;
}
void forget_picture_type(AVFrame& frame) {
  frame.pict_type = AV_PICTURE_TYPE_NONE;
  frame.key_frame = 0;
}
#endif

void forget_unknown_colours(AVFrame& frame) {
  frame.color_range = known(frame.color_range, AVCOL_RANGE_NB, AVCOL_RANGE_UNSPECIFIED);
  frame.color_primaries = known(frame.color_primaries, AVCOL_PRI_NB, AVCOL_PRI_UNSPECIFIED);
  frame.color_trc = known(frame.color_trc, AVCOL_TRC_NB, AVCOL_TRC_UNSPECIFIED);
  frame.colorspace = known(frame.colorspace, AVCOL_SPC_NB, AVCOL_SPC_UNSPECIFIED);
  frame.chroma_location = known(frame.chroma_location, AVCHROMA_LOC_NB, AVCHROMA_LOC_UNSPECIFIED);
}

void set_side_data(AVStream& stream, AVPacketSideDataType type, const void* data,
                   std::size_t size) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  AVCodecParameters& p = *stream.codecpar;
  AVPacketSideData* entry =
      av_packet_side_data_new(&p.coded_side_data, &p.nb_coded_side_data, type, size, 0);
  std::uint8_t* copy = entry ? entry->data : nullptr;
#else
  std::uint8_t* copy = av_stream_new_side_data(&stream, type, size);
#endif
  if (!copy) throw_out_of_memory("for the description of a stream");
  std::memcpy(copy, data, size);
}

std::span<const std::uint8_t> side_data(const AVStream& stream, AVPacketSideDataType type) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  const AVCodecParameters& p = *stream.codecpar;
  const AVPacketSideData* entry =
      av_packet_side_data_get(p.coded_side_data, p.nb_coded_side_data, type);
  return entry ? std::span<const std::uint8_t>(entry->data, entry->size)
               : std::span<const std::uint8_t>();
#else
  std::size_t size = 0;
  const std::uint8_t* data = av_stream_get_side_data(&stream, type, &size);
  return {data, data ? size : 0};
#endif
}

void copy_picture_side_data(const AVStream& from, AVStream& to, bool turned) {
  for (const AVPacketSideDataType type : carried) {
    if (turned && type == AV_PKT_DATA_DISPLAYMATRIX) continue;
    if (const auto data = side_data(from, type); !data.empty())
      set_side_data(to, type, data.data(), data.size());
  }
}

std::vector<AVPacketSideDataType> picture_side_data(const AVStream& stream) {
  std::vector<AVPacketSideDataType> types;
  for (const AVPacketSideDataType type : carried)
    if (!side_data(stream, type).empty()) types.push_back(type);
  return types;
}

}  // namespace vidconv
