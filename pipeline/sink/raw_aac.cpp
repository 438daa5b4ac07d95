#include "pipeline/sink/raw_aac.h"

#include <string_view>

#include "pipeline/av/av_log.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace vidconv {

std::unique_ptr<RawAac> RawAac::make(const AVStream& from, AVFormatContext& to) {
  const AVCodecParameters& parameters = *from.codecpar;
  // This one alone of FFmpeg's muxers of the MOV family refuses such packets.
  if (std::string_view(to.oformat->name) != "ismv") return nullptr;
  if (parameters.codec_id != AV_CODEC_ID_AAC || parameters.extradata_size > 0) return nullptr;
  check_av(av_opt_set(to.priv_data, "movflags", "+delay_moov", 0), Fault::internal,
           "cannot delay a header");
  return std::make_unique<RawAac>(from);
}

RawAac::RawAac(const AVStream& from) {
  AVBSFContext* filter = nullptr;
  check_av(av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &filter), Fault::output,
           "cannot take AAC out of ADTS");
  filter_.reset(filter);
  check_av(avcodec_parameters_copy(filter_->par_in, from.codecpar), Fault::internal,
           "cannot describe a stream");
  filter_->time_base_in = from.time_base;
  check_av(av_bsf_init(filter_.get()), Fault::output, "cannot take AAC out of ADTS");
}

std::string RawAac::convert(AVPacket& packet) {
  const AvLines said;
  int code = av_bsf_send_packet(filter_.get(), &packet);
  if (code >= 0) code = av_bsf_receive_packet(filter_.get(), &packet);
  if (code >= 0) return {};
  return said.text().empty() ? av_message(code) : said.text();
}

}  // namespace vidconv
