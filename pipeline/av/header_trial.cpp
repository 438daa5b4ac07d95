#include "pipeline/av/header_trial.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "pipeline/av/av_log.h"
#include "pipeline/av/container.h"

namespace vidconv {
namespace {

int check(int code) { return check_av(code, Fault::internal, "cannot describe a stream"); }

}  // namespace

HeaderTrial::HeaderTrial(const AVOutputFormat& container, std::string output)
    : container_(container), output_(std::move(output)), kept_(avformat_alloc_context()) {
  if (!kept_) throw_out_of_memory("to describe streams");
}

AVStream& HeaderTrial::add(AVFormatContext& to, const AVStream& like,
                           const AVCodecParameters* as) const {
  AVStream* stream = avformat_new_stream(&to, nullptr);
  if (!stream) throw_out_of_memory("to describe a stream");
  copy_stream_description(like, container_, *stream);
  if (as) check(avcodec_parameters_copy(stream->codecpar, as));
  return *stream;
}

void HeaderTrial::keep(const AVStream& stream, const AVCodecParameters* as) {
  add(*kept_, stream, as);
}

AVStream& HeaderTrial::keep() {
  AVStream* stream = avformat_new_stream(kept_.get(), nullptr);
  if (!stream) throw_out_of_memory("to describe a stream");
  return *stream;
}

bool HeaderTrial::takes(const AVStream& stream, const AVCodecParameters* as) const {
  AVFormatContext* context = nullptr;
  check(avformat_alloc_output_context2(&context, &container_, nullptr, output_.c_str()));
  const OutputPtr owner(context);
  // Codecs that a container adopted lately, such as FLAC in MP4, are experimental to older
  // libraries.
  context->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  for (unsigned i = 0; i < kept_->nb_streams; ++i) add(*context, *kept_->streams[i], nullptr);
  add(*context, stream, as);
  check(avio_open_dyn_buf(&context->pb));
  const int code = avformat_write_header(context, nullptr);
  if (code >= 0) av_write_trailer(context);  // frees what the header has allocated
  std::uint8_t* bytes = nullptr;
  avio_close_dyn_buf(context->pb, &bytes);
  context->pb = nullptr;
  av_free(bytes);
  take_av_line();  // a refusal here is an answer, not an error
  if (code == AVERROR(ENOMEM)) throw_out_of_memory("to describe a stream");
  return code >= 0;
}

bool is_known_by_header(const AVOutputFormat& container) {
  constexpr std::string_view names[] = {"mxf", "mxf_opatom", "gxf", "ogg", "ogv"};
  return std::ranges::find(names, container.name) != std::end(names);
}

bool header_takes(const AVOutputFormat& container, AVCodecID codec, const VideoInfo& video) {
  if (!is_known_by_header(container)) return false;
  const OutputPtr owner(avformat_alloc_context());
  AVStream* stream = owner ? avformat_new_stream(owner.get(), nullptr) : nullptr;
  if (!stream) throw_out_of_memory("to describe a stream");
  AVCodecParameters& parameters = *stream->codecpar;
  parameters.codec_type = AVMEDIA_TYPE_VIDEO;
  parameters.codec_id = codec;
  parameters.format = video.format->id;
  parameters.width = video.width;
  parameters.height = video.height;
  parameters.profile = video.profile;
  stream->sample_aspect_ratio = parameters.sample_aspect_ratio = video.sample_aspect;
  stream->avg_frame_rate = video.frame_rate;
  stream->time_base = video.frame_rate.num > 0 ? av_inv_q(video.frame_rate) : video.time_base;
  return HeaderTrial(container, "").takes(*stream);
}

}  // namespace vidconv
