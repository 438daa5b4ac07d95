#include "pipeline/demux/stream_info.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace vidconv {
namespace {

bool has_header_and_times(const AVInputFormat& format) {
  const std::string_view name = format.name;
  return name == "matroska,webm" || name.starts_with("mov,mp4,");
}

bool same_beginning(const AVCodecParameters& a, const AVCodecParameters& b) {
  return a.codec_type == b.codec_type && a.codec_id == b.codec_id && a.codec_tag == b.codec_tag &&
         std::equal(a.extradata, a.extradata + a.extradata_size, b.extradata,
                    b.extradata + b.extradata_size);
}

}  // namespace

StreamInfo::StreamInfo(const AVFormatContext& found)
    : format_(found.iformat), start_(found.start_time), duration_(found.duration) {
  for (unsigned i = 0; i < found.nb_streams; ++i) {
    const AVStream& stream = *found.streams[i];
    CodecParametersPtr parameters(avcodec_parameters_alloc());
    if (!parameters || avcodec_parameters_copy(parameters.get(), stream.codecpar) < 0) {
      streams_.clear();  // then nothing is known
      return;
    }
    streams_.push_back({stream.id, std::move(parameters), stream.time_base, stream.avg_frame_rate,
                        stream.r_frame_rate, stream.sample_aspect_ratio, stream.start_time,
                        stream.duration, stream.nb_frames});
  }
}

bool StreamInfo::describe(AVFormatContext& opened) const {
  if (opened.iformat != format_ || !has_header_and_times(*format_) || streams_.empty() ||
      opened.nb_streams != streams_.size())
    return false;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const AVStream& stream = *opened.streams[i];
    const Stream& known = streams_[i];
    if (stream.id != known.id || av_cmp_q(stream.time_base, known.time_base) != 0 ||
        !same_beginning(*stream.codecpar, *known.parameters))
      return false;
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    AVStream& stream = *opened.streams[i];
    const Stream& known = streams_[i];
    if (avcodec_parameters_copy(stream.codecpar, known.parameters.get()) < 0) return false;
    stream.avg_frame_rate = known.rate;
    stream.r_frame_rate = known.real_rate;
    stream.sample_aspect_ratio = known.sample_aspect;
    stream.start_time = known.start;
    stream.duration = known.duration;
    stream.nb_frames = known.frames;
  }
  opened.start_time = start_;
  opened.duration = duration_;
  return true;
}

}  // namespace vidconv
