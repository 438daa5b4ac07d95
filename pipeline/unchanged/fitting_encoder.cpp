#include "pipeline/unchanged/fitting_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/decode/nal_units.h"
#include "pipeline/encode/sharded_encoder.h"
#include "pipeline/unchanged/joined_header.h"
#include "pipeline/unchanged/key_packets.h"
#include "pipeline/unchanged/parameter_sets.h"
#include "pipeline/unchanged/seam_trial.h"

namespace vidconv {
namespace {

using OwnOptions = std::vector<std::pair<std::string, std::string>>;

bool is_set(const EncoderOptions& options, std::string_view key) {
  return std::ranges::any_of(options.own, [&](const auto& own) { return own.first == key; });
}

[[noreturn]] void refuse_encoder(const AVCodec& encoder, const std::string& why) {
  throw Error(Fault::output, "cannot fit the encoder", encoder.name, why);
}

// x264 makes what the profile allows, and nothing beyond.
std::string x264_profile(int profile) {
  constexpr int constrained = 1 << 9, intra = 1 << 11;
  switch (profile & ~(constrained | intra)) {
    case 66:
      return "baseline";
    case 77:
      return "main";
    case 100:
      return "high";
    case 110:
      return "high10";
    case 122:
      return "high422";
    case 244:
      return "high444";
    default:
      return {};
  }
}

std::set<unsigned> numbers_in(const FittingEncoder& how) {
  std::set<unsigned> taken = how.taken;
  taken.merge(parameter_sets_in(how.stream));
  return taken;
}

// Decoders keep parameter sets by their numbers: the encoder's get one that the stream has not.
void number_parameter_sets(const FittingEncoder& how, const AVCodec& encoder,
                           EncoderOptions& options) {
  if (!std::string_view(encoder.name).starts_with("libx264"))
    refuse_encoder(encoder, fmt::format("{} cannot number its parameter sets", encoder.name));
  const std::set<unsigned> taken = numbers_in(how);
  unsigned free = 1;
  while (taken.contains(free)) ++free;
  constexpr unsigned most = 31;
  if (free > most) refuse_encoder(encoder, "no number of a parameter set is free");
  options.own.emplace_back("x264-params", fmt::format("sps-id={}", free));
  const std::string profile = x264_profile(how.stream.profile);
  if (!is_set(options, "profile") && !profile.empty()) options.own.emplace_back("profile", profile);
}

void set_quality(const FittingEncoder& how, const EncoderChoice& choice, EncoderOptions& options) {
  const QualityScale& scale = choice.defaults.quality;
  constexpr std::string_view own[] = {"crf", "qp", "q", "qscale", "global_quality", "b", "cq"};
  const bool chosen = !options.crf.empty() || std::ranges::any_of(own, [&](std::string_view key) {
    return is_set(options, key);
  });
  if (chosen || !how.quality || !scale.option) return;
  constexpr double lossless = 0.01;
  if (choice.codec->id == AV_CODEC_ID_H264 && *how.quality < lossless) {
    options.own.emplace_back("qp", "0");
    return;
  }
  const auto [least, most] = std::minmax(scale.best, scale.worst);
  const double value = std::clamp(*how.quality, least, most);
  const bool whole = choice.codec->id == AV_CODEC_ID_VP9;
  options.crf = fmt::format("{}", whole ? std::round(value) : std::round(value * 10) / 10);
}

// FFV1's header tells all that its encoder was told: these are its options in FFmpeg.
std::vector<OwnOptions> ffv1_options() {
  std::vector<OwnOptions> all{{}};
  for (const char* level : {"3", "1", "0"})
    for (const char* coder : {"rice", "range_tab", "range_def"})
      for (const char* context : {"0", "1"})
        for (const char* group : {"12", "1"})
          for (const char* check : {"1", "0"})
            for (const char* slices : {"4", "16", "24", "12", "9", "6", "30"})
              all.push_back({{"level", level},
                             {"coder", coder},
                             {"context", context},
                             {"g", group},
                             {"slicecrc", check},
                             {"slices", slices}});
  return all;
}

std::vector<OwnOptions> variants_of(const FittingEncoder& how) {
  const AVCodecID codec = how.stream.codec_id;
  if (codec == AV_CODEC_ID_FFV1) return ffv1_options();
  // Containers that keep the header elsewhere have the encoder leave it out of its packets. There
  // `hvc1` means that the header is nowhere else.
  if (codec == AV_CODEC_ID_HEVC && !header_in(how.key, codec, nal_length_size(how.stream)).empty())
    return {{{"x265-params", "repeat-headers=1"}}};
  return {{}};
}

std::optional<HevcNumbers> hevc_numbers(const FittingEncoder& how) {
  if (how.stream.codec_id != AV_CODEC_ID_HEVC) return std::nullopt;
  return HevcNumbers(numbers_in(how));
}

}  // namespace

EncoderOptions fit_encoder(const FittingEncoder& how, const std::string& output,
                           const SinkOptions& sink, EncoderOptions options) {
  SinkOptions quiet = sink;
  quiet.notify = nullptr;
  quiet.lose = nullptr;
  quiet.encoder = options;
  const InputVideo video{.stream = 0, .info = how.video};
  const OutputPlan plan = plan_output(output, quiet, {&video, 1});
  const EncoderChoice& choice = plan.encoders.at(0);
  const bool global_header = plan.container->flags & AVFMT_GLOBALHEADER;
  // It has to be possible as the user has asked for it, whatever is added below.
  make_part_encoder(choice, how.video, options, global_header, nullptr, nullptr);
  set_quality(how, choice, options);
  if (how.stream.codec_id == AV_CODEC_ID_H264) number_parameter_sets(how, *choice.codec, options);
  std::optional<Error> refused;
  for (const OwnOptions& variant : variants_of(how)) {
    EncoderOptions tried = options;
    tried.own.insert(tried.own.begin(), variant.begin(), variant.end());
    try {
      const auto encoder =
          make_part_encoder(choice, how.video, tried, global_header, nullptr, nullptr);
      const CodecParametersPtr encoded(avcodec_parameters_alloc());
      if (!encoded) throw_out_of_memory("for the encoder", choice.codec->name);
      encoder->describe(*encoded);
      const auto fit = std::make_shared<JoinedHeader>(how.stream, *encoded, *plan.container,
                                                      how.delay, hevc_numbers(how));
      try_seam(how.key, how.stream, how.video, *encoder, *fit);
      tried.shards->fit = fit;
      return tried;
    } catch (const Error& error) {
      if (error.kind() == MessageKind::memory) throw;
      if (!refused)
        refused.emplace(Fault::output, "cannot fit the encoder", choice.codec->name, error.why());
    }
  }
  throw *refused;
}

}  // namespace vidconv
