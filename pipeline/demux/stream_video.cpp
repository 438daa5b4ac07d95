#include "pipeline/demux/stream_video.h"

#include <string_view>

#include "pipeline/av/devices.h"

namespace vidconv {

std::vector<int> video_streams(const AVFormatContext& container) {
  std::vector<int> found;
  for (unsigned i = 0; i < container.nb_streams; ++i) {
    const AVStream& stream = *container.streams[i];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
        !(stream.disposition & AV_DISPOSITION_ATTACHED_PIC))
      found.push_back(stream.index);
  }
  return found;
}

AVStream& choose_video(const AVFormatContext& container, int number, const std::string& name) {
  const std::vector<int> found = video_streams(container);
  const auto wanted = static_cast<std::size_t>(number);
  if (found.empty())
    throw Error(MessageKind::no_video, "cannot filter", name, "it has no video stream");
  if (wanted > found.size())
    throw Error(MessageKind::no_video,
                "cannot filter video stream " + std::to_string(number) + " of", name,
                "it has " + std::to_string(found.size()), "`video` counts from 1");
  return *container.streams[found[wanted - 1]];
}

namespace {

// Returns how the stream, or a photograph, is to be turned.
Orientation orientation_in(const AVStream& stream, const AVFrame& first) {
  constexpr std::size_t size = 9 * sizeof(std::int32_t);
  if (const auto data = side_data(stream, AV_PKT_DATA_DISPLAYMATRIX); data.size() >= size)
    return orientation_of(reinterpret_cast<const std::int32_t*>(data.data()));
  const AVFrameSideData* data = av_frame_get_side_data(&first, AV_FRAME_DATA_DISPLAYMATRIX);
  return data && data->size >= size
             ? orientation_of(reinterpret_cast<const std::int32_t*>(data->data))
             : Orientation{};
}

}  // namespace

VideoInfo video_info_of(AVFormatContext& container, AVStream& stream, const AVFrame& first) {
  const AVCodecParameters& parameters = *stream.codecpar;
  // const_cast: libavformat's getters only read, but some versions do not say so.
  AVFrame* guess = const_cast<AVFrame*>(&first);
  VideoInfo info;
  info.format = find_format(static_cast<AVPixelFormat>(first.format));
  info.width = first.width;
  info.height = first.height;
  info.time_base = stream.time_base;
  info.frame_rate = av_guess_frame_rate(&container, &stream, guess);
  // GXF's demuxer counts fields.
  const bool of_fields = std::string_view(container.iformat->name) == "gxf";
  const AVRational fields = av_mul_q(stream.r_frame_rate, {2, 1});
  info.steady =
      info.frame_rate.num > 0 && (av_cmp_q(stream.avg_frame_rate, stream.r_frame_rate) == 0 ||
                                  (of_fields && av_cmp_q(stream.avg_frame_rate, fields) == 0));
  info.sample_aspect = av_guess_sample_aspect_ratio(&container, &stream, guess);
  info.field_order =
      known(parameters.field_order, static_cast<AVFieldOrder>(AV_FIELD_BT + 1), AV_FIELD_UNKNOWN);
  // FFmpeg's decoders of HEVC call a picture interlaced that is a field (ITU-T H.265, D.3.3).
  info.of_fields = parameters.codec_id == AV_CODEC_ID_HEVC && is_interlaced(first);
  // Pictures know the order of fields better than headers.
  const bool top_first = info.field_order == AV_FIELD_TT || info.field_order == AV_FIELD_TB;
  if (is_interlaced(first) &&
      (info.field_order <= AV_FIELD_PROGRESSIVE || top_first != is_top_field_first(first)))
    info.field_order = is_top_field_first(first) ? AV_FIELD_TT : AV_FIELD_BB;
  if (info.of_fields) info.field_order = AV_FIELD_PROGRESSIVE;
  info.range = first.color_range != AVCOL_RANGE_UNSPECIFIED
                   ? first.color_range
                   : known(parameters.color_range, AVCOL_RANGE_NB, AVCOL_RANGE_UNSPECIFIED);
  info.primaries = first.color_primaries;
  info.transfer = first.color_trc;
  info.matrix = first.colorspace;
  info.chroma_location = first.chroma_location;
  info.hdr = hdr_of(first, stream);
  info.codec = parameters.codec_id;
  // Hap has kinds instead, which are told apart by their tags.
  info.profile = parameters.codec_id == AV_CODEC_ID_HAP ? static_cast<int>(parameters.codec_tag)
                                                        : parameters.profile;
  info.shown = orientation_in(stream, first);
  const std::string_view from = container.iformat->name;
  info.of_pictures = from.starts_with("image2") || from.ends_with("_pipe") || from == "gif" ||
                     from == "apng" || is_device(*container.iformat);
  return info;
}

}  // namespace vidconv
