// Encoder: passes metadata that pictures carry beside their samples to encoders that write it, and
// reports its loss.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

extern "C" {
#include <libavutil/opt.h>
}

#include "pipeline/base/error.h"
#include "pipeline/encode/encoder.h"

namespace vidconv {

// Dolby Vision needs 10 bits. x265 knows profiles 5, 8.1 (only with the mastering display) and 8.4.
bool Encoder::takes_dolby_vision(const HdrMetadata& hdr) const {
  const AVCodecContext& c = *context_;
  if (hdr.dolby_vision_rpu.empty() || c.pix_fmt != AV_PIX_FMT_YUV420P10 || !c.codec->priv_class ||
      !av_opt_find(c.priv_data, "dolbyvision", nullptr, 0, 0))
    return false;
  if (std::string_view(c.codec->name) != "libx265") return true;
  if (c.color_trc == AVCOL_TRC_SMPTE2084) return hdr.mastering.has_value();
  return c.color_trc != AVCOL_TRC_BT709;
}

// x265 demands a limit of the rate for Dolby Vision. This is the level's own maximum (Dolby Vision
// Profiles and Levels, high tier), so that it rarely has an effect.
std::string Encoder::dolby_vision_rate() const {
  const AVCodecContext& c = *context_;
  struct Level {
    double samples;  // per second
    int rate;        // kbit/s
  };
  constexpr Level levels[] = {{27'648'000, 50'000},     {124'416'000, 70'000},
                              {497'664'000, 130'000},   {995'328'000, 240'000},
                              {1'990'656'000, 480'000}, {HUGE_VAL, 800'000}};
  const double frames = c.framerate.num > 0 ? av_q2d(c.framerate) : 25;
  const double samples = static_cast<double>(c.width) * c.height * frames;
  const int rate =
      std::ranges::find_if(levels, [&](const Level& l) { return samples <= l.samples; })->rate;
  return fmt::format("vbv-maxrate={0}:vbv-bufsize={0}", rate);
}

void Encoder::name_captions(const AVFrame& frame) {
  if (captions_are_told_ || !av_frame_get_side_data(&frame, AV_FRAME_DATA_A53_CC)) return;
  captions_are_told_ = true;
  // The encoder's options tell whether it writes captions.
  std::int64_t writes = 0;
  for (const char* option : {"a53cc", "a53_cc"})
    if (codec_.priv_class && writes <= 0) av_opt_get_int(context_->priv_data, option, 0, &writes);
  if (writes > 0) return;
  notify(
      lose_, MessageKind::not_held,
      fmt::format("{} cannot hold the captions that are in the pictures (ATSC A/53)", codec_.name));
}

void Encoder::name_profile(const AVFrame& frame) {
  if (profile_is_told_ || !av_frame_get_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE)) return;
  profile_is_told_ = true;
  constexpr AVCodecID writes[] = {AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_MJPEG,
                                  AV_CODEC_ID_JPEGXL};
  if (std::ranges::find(writes, codec_.id) == std::end(writes))
    notify(lose_, MessageKind::not_held,
           fmt::format("{} cannot hold the ICC profile of the pictures", codec_.name));
}

#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 3, 100)
void Encoder::announce_dolby_vision(const HdrMetadata& hdr) {
  AVCodecContext& c = *context_;
  const std::vector<std::uint8_t>& rpu = hdr.dolby_vision_rpu;
  if (!takes_dolby_vision(hdr)) return;
  const AVFrameSideData* data = av_frame_side_data_new(
      &c.decoded_side_data, &c.nb_decoded_side_data, AV_FRAME_DATA_DOVI_METADATA, rpu.size(), 0);
  if (!data) throw_out_of_memory("for the encoder", codec_.name);
  std::ranges::copy(rpu, data->data);
}

bool Encoder::writes_dolby_vision() const {
  return av_packet_side_data_get(context_->coded_side_data, context_->nb_coded_side_data,
                                 AV_PKT_DATA_DOVI_CONF);
}
#else
void Encoder::announce_dolby_vision(const HdrMetadata&) {}
bool Encoder::writes_dolby_vision() const { return false; }
#endif

void Encoder::fill_in_dolby_vision(AVFrame& frame) {
  if (!writes_dolby_vision()) return;
  if (const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DOVI_METADATA)) {
    dolby_vision_.reset(av_buffer_ref(data->buf));
  } else if (dolby_vision_) {
    AVBufferRef* before = av_buffer_ref(dolby_vision_.get());
    if (!before || !av_frame_new_side_data_from_buf(&frame, AV_FRAME_DATA_DOVI_METADATA, before))
      throw_out_of_memory("for a frame");
  }
}

void Encoder::name_lost_metadata(const DynamicHdr& has) {
  DynamicHdr lost;
  for (const std::string_view name : has) {
    const bool kept = !pictures_have_moved_ && ((name == hdr10_plus && hdr10_plus_.is_kept()) ||
                                                (name == dolby_vision && writes_dolby_vision()));
    if (!kept && std::ranges::find(lost_metadata_, name) == lost_metadata_.end())
      lost.push_back(name);
  }
  if (lost.empty()) return;
  lost_metadata_.insert(lost_metadata_.end(), lost.begin(), lost.end());
  notify(lose_, MessageKind::not_held,
         fmt::format("the metadata of each picture is not kept{}: {}",
                     pictures_have_moved_ ? ", because pictures are not where they were"
                                          : fmt::format(" by {}", codec_.name),
                     fmt::join(lost, ", ")));
}

}  // namespace vidconv
