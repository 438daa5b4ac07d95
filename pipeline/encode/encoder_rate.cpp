#include "pipeline/encode/encoder_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace vidconv {
namespace {

using Given = std::pair<std::string, std::string>;

// Returns whether the option alone decides over quality or rate.
bool decides(const std::string& key) {
  constexpr std::string_view keys[] = {"b",  "crf",     "qp",      "q", "qscale", "global_quality",
                                       "cq", "quality", "distance"};
  return std::ranges::find(keys, key) != std::end(keys);
}
bool is_qscale(std::string_view key) {
  return key == "q" || key == "qscale" || key == "global_quality";
}

std::string shown(const Given& option) {
  return fmt::format("`encoder_options` {}={}", verbatim(option.first), verbatim(option.second));
}

[[noreturn]] void refuse(const std::string& option, const std::string& why,
                         const std::string& remedy) {
  throw Error(MessageKind::encoder_option, "cannot set the encoder's option",
              Error::Value::naming(option), why, remedy);
}

class Rate {
 public:
  Rate(const EncoderChoice& choice, const EncoderOptions& options)
      : name_(choice.codec->name),
        lossless_(is_lossless(*choice.codec)),
        known_(choice.defaults),
        options_(options) {
    for (const Given& option : options.own) {
      if (decides(option.first)) own_.push_back(&option);
      if (option.first == "rc" || option.first == "rc_mode") mode_ = &option;
      if (option.first == "maxrate") most_ = &option;
      if (option.first == "bufsize") buffer_ = &option;
    }
  }

  void check() const {
    if (!options_.crf.empty()) check_crf();
    if (!options_.bitrate.empty() && !known_.has_bitrate)
      refuse("`bitrate` " + verbatim(options_.bitrate), name_ + " has no bit rate", "leave it out");
    if (!options_.bitrate.empty() && !options_.crf.empty())
      refuse("`bitrate` " + verbatim(options_.bitrate),
             "it has no effect beside `crf` " + verbatim(options_.crf), "leave out one");
    for (const Given* option : own_) check_own(*option);
    check_buffer();
  }

  // Returns whether the user has set the encoder's quality directly, without the option that makes
  // it obey.
  bool has_own_quality() const {
    const char* scale = known_.quality.option;
    return scale && !mode_ &&
           std::ranges::any_of(own_, [&](const Given* option) { return option->first == scale; });
  }
  // Returns whether the user has chosen how the rate is controlled.
  bool is_own() const {
    return !options_.crf.empty() || !options_.bitrate.empty() || !own_.empty() || mode_;
  }

 private:
  void check_crf() const {
    const QualityScale& scale = known_.quality;
    const std::string option = "`crf`=" + verbatim(options_.crf);
    if (!scale.option) refuse(option, name_ + " has no scale of quality", "leave it out");
    double value = 0;
    const char* end = options_.crf.data() + options_.crf.size();
    const auto [stop, error] = std::from_chars(options_.crf.data(), end, value);
    if (error != std::errc() || stop != end) refuse(option, "it is not a number", "");
    const auto [least, most] = std::minmax(scale.best, scale.worst);
    if (value < least || value > most)
      refuse(option,
             fmt::format("{} has qualities ({}) from {}, the best, to {}", name_, scale.option,
                         scale.best, scale.worst),
             std::string_view(scale.option) == "cq"
                 ? "for no loss use `encoder_options` tune=lossless"
                 : "");
    if (mode_ && mode_->second != "vbr")
      refuse(shown(*mode_), "beside it `crf` has no effect", "leave out one");
  }

  void check_own(const Given& option) const {
    const std::string& key = option.first;
    const std::string_view scale = known_.quality.option ? known_.quality.option : "";
    if (is_qscale(key) && (lossless_ || scale == "crf" || scale == "cq" || scale == "qp"))
      refuse(shown(option), fmt::format("{} takes no such quantiser", name_),
             lossless_ ? "leave it out" : "use `crf`");
    if (key == "b" && !known_.has_bitrate)
      refuse(shown(option), name_ + " has no bit rate", "leave it out");
    // The quality may be limited by a rate, where the encoder supports that.
    const auto may_stand_beside = [&](std::string_view other) {
      return known_.quality.may_be_capped && ((key == "b") != (other == "b")) &&
             (key == scale || other == scale);
    };
    if (!options_.bitrate.empty() && !may_stand_beside("b"))
      refuse(shown(option), "it cannot be beside `bitrate` " + verbatim(options_.bitrate),
             "leave out one");
    if (!options_.crf.empty() && !may_stand_beside(scale))
      refuse(shown(option), "it has no effect beside `crf` " + verbatim(options_.crf),
             "leave out one");
    for (const Given* other : own_)
      if (other != &option && !may_stand_beside(other->first))
        refuse(shown(option), "it cannot be beside " + shown(*other), "leave out one");
  }

  // Refuses options that these encoders silently ignore.
  void check_buffer() const {
    for (const Given* option : {most_, buffer_})
      if (option && !known_.has_bitrate)
        refuse(shown(*option), name_ + " has no bit rate", "leave it out");
    if (name_.starts_with("libx26")) {
      if (most_ && !buffer_)
        refuse(shown(*most_), "it has no effect without a buffer",
               "add `encoder_options` bufsize=...");
      if (buffer_ && !most_)
        refuse(shown(*buffer_), "it has no effect without a rate",
               "add `encoder_options` maxrate=...");
      for (const Given* option : own_)
        if (most_ && option->first == "qp")
          refuse(shown(*most_), "it has no effect beside " + shown(*option), "leave out one");
    }
  }

  const std::string name_;
  const bool lossless_;
  const EncoderDefaults& known_;
  const EncoderOptions& options_;
  std::vector<const Given*> own_;
  const Given *mode_ = nullptr, *most_ = nullptr, *buffer_ = nullptr;
};

// Returns more than encoders that know only a rate need for a good picture.
std::string rate_by_size(const VideoInfo& video) {
  constexpr double bits_per_sample = 0.2;
  const double rate = video.frame_rate.num > 0 ? av_q2d(video.frame_rate) : 25;
  return fmt::format("{:.0f}", std::max(1e6, bits_per_sample * video.width * video.height * rate));
}

// Returns whether it makes other frames than key frames.
bool depends_on_others(const AVCodec& encoder) {
  const AVCodecDescriptor* codec = avcodec_descriptor_get(encoder.id);
  return codec && !(codec->props & AV_CODEC_PROP_INTRA_ONLY);
}

// Returns whether the video has a profile without other frames than key frames (ITU-T
// H.264 A.2.8 to A.2.11): it is chosen for editing, and the output is for the same.
bool stays_intra(const AVCodec& encoder, const VideoInfo& video) {
#ifdef AV_PROFILE_H264_INTRA  // FFmpeg 6.1 has it by another name
  constexpr int intra = AV_PROFILE_H264_INTRA;
#else
  constexpr int intra = FF_PROFILE_H264_INTRA;
#endif
  return encoder.id == AV_CODEC_ID_H264 && video.codec == encoder.id &&
         video.profile != unknown_profile && (video.profile & intra) != 0;
}

// Returns 2 seconds in frames: receivers of streams expect a key frame that often.
std::string distance_of_keys(const VideoInfo& video) {
  const double rate = video.frame_rate.num > 0 ? av_q2d(video.frame_rate) : 25;
  return fmt::format("{:.0f}", std::clamp(2 * rate, 1.0, 1000.0));
}

}  // namespace

std::vector<EncoderOption> encoder_options(const EncoderChoice& choice,
                                           const EncoderOptions& options, const VideoInfo& video) {
  const Rate rate(choice, options);
  rate.check();
  const EncoderDefaults& known = choice.defaults;
  const QualityScale& quality = known.quality;
  std::vector<EncoderOption> all;
  const auto set = [&](const std::string& key, const std::string& value,
                       const std::string& name = "") {
    all.push_back({key, value, (name.empty() ? verbatim(key) : name) + "=" + verbatim(value)});
  };
  const bool by_quality = quality.option && (!options.crf.empty() || !rate.is_own());
  if (by_quality && options.crf.empty()) set(quality.option, fmt::format("{}", quality.usual));
  if (by_quality && !options.crf.empty()) set(quality.option, options.crf, "`crf`");
  if (!options.bitrate.empty())
    all.push_back({"b", options.bitrate, "`bitrate` " + verbatim(options.bitrate)});
  if (goes_by_rate(*choice.codec) && !rate.is_own()) set("b", rate_by_size(video));
  const auto is_given = [&](std::string_view key) {
    return (key == "b" && !options.bitrate.empty()) ||
           (key == "preset" && !options.preset.empty()) ||
           std::ranges::find(options.own, key, &Given::first) != options.own.end();
  };
  if ((by_quality || rate.has_own_quality()) && quality.beside.first &&
      !is_given(quality.beside.first))
    set(quality.beside.first, quality.beside.second);
  if (!options.preset.empty()) set("preset", options.preset, "`preset`");
  for (const auto& [key, value] : known.options)
    if (key && (std::string_view(key).ends_with("-params") || !is_given(key))) set(key, value);
  if (!tells_order(choice) && depends_on_others(*choice.codec) && !is_given("bf")) set("bf", "0");
  if (stays_intra(*choice.codec, video) && !is_given("g")) set("g", "1");
  if (options.low_delay) {
    for (const auto& [key, value] : known.for_low_delay)
      if (key && (std::string_view(key).ends_with("-params") || !is_given(key))) set(key, value);
    if (depends_on_others(*choice.codec) && !is_given("g")) set("g", distance_of_keys(video));
  }
  if (options.shards && known.for_parts.first) set(known.for_parts.first, known.for_parts.second);
  for (const auto& [key, value] : options.own)
    set(key, value, "`encoder_options` " + verbatim(key));
  return all;
}

bool tells_order(const EncoderChoice& choice) {
  return !choice.container.starts_with("mxf") || choice.codec->id == AV_CODEC_ID_MPEG2VIDEO;
}

bool asks_for_no_loss(const EncoderOptions& options) {
  return options.crf == "0" || std::ranges::any_of(options.own, [](const Given& option) {
           const auto& [key, value] = option;
           return ((key == "qp" || key == "crf") && value == "0") ||
                  (key == "lossless" && value == "1") || value.find("lossless") != value.npos;
         });
}

std::string describe(const EncoderChoice& choice, const std::vector<EncoderOption>& options) {
  std::string text = choice.codec->name;
  for (const EncoderOption& option : options) text += " " + option.key + "=" + option.value;
  return text;
}

}  // namespace vidconv
