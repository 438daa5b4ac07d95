#include "pipeline/encode/shard_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

struct Rule {
  std::string_view key;
  std::string_view value;  // the harmless one; empty: none is
  const char* why;
};

constexpr const char* by_rate = "what a part may spend depends on the parts before it";
constexpr const char* by_buffer = "what the buffer holds depends on the parts before";
constexpr const char* by_passes = "a second pass wants the first of the whole video";
constexpr const char* no_keys = "there would be no key frames to cut at";

// Keys are FFmpeg's names and those of the libraries below it.
constexpr Rule rules[] = {
    {"b", "0", by_rate},         {"bitrate", "0", by_rate},       {"tbr", "0", by_rate},
    {"rc", "0", by_rate},        {"maxrate", "0", by_buffer},     {"minrate", "0", by_buffer},
    {"bufsize", "0", by_buffer}, {"vbv-maxrate", "0", by_buffer}, {"vbv-bufsize", "0", by_buffer},
    {"mbr", "0", by_buffer},     {"nal-hrd", "none", by_buffer},  {"hrd", "0", by_buffer},
    {"pass", "0", by_passes},    {"passes", "1", by_passes},      {"passlogfile", "", by_passes},
    {"stats", "", by_passes},    {"intra-refresh", "0", no_keys},
};

// Names the setting that has asked for shards.
std::string beside(const EncoderOptions& options) {
  return (options.shards ? setting_of(*options.shards) : "`shards`") + " cannot be beside";
}

void check_option(const EncoderOptions& options, std::string_view key, std::string_view value,
                  const Error::Value& shown) {
  const auto* rule = std::ranges::find(rules, key, &Rule::key);
  if (rule != std::end(rules) && (rule->value.empty() || rule->value != value))
    throw Error(MessageKind::encoder_option, beside(options), shown, rule->why, "leave out one");
  if (key == "flags" && value.find("pass") != value.npos)
    throw Error(MessageKind::encoder_option, beside(options), shown, by_passes, "leave out one");
}

// "key=value:key=value", as options of libraries below are given; a key alone means 1.
void check_list(const EncoderOptions& options, std::string_view list, const Error::Value& shown) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string_view pair = list.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : "1";
    check_option(options, pair.substr(0, equals), value, shown);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

bool encodes_in_parts(const EncoderChoice& choice) {
  if (choice.defaults.in_parts) return true;
  const AVCodecDescriptor* codec = avcodec_descriptor_get(choice.codec->id);
  // Pictures are independent, at sizes that no rate control decides.
  return codec && (codec->props & AV_CODEC_PROP_INTRA_ONLY) && !is_hardware(*choice.codec) &&
         !choice.defaults.joins_frames && !goes_by_rate(*choice.codec);
}

void check_shards(const EncoderChoice& choice, const EncoderOptions& options) {
  if (!encodes_in_parts(choice))
    throw Error(MessageKind::encoder_option, beside(options) + " the encoder", choice.codec->name,
                "it is not known to encode parts that can be joined without a seam",
                "choose another `codec`, such as libx264 or libx265");
  if (!options.bitrate.empty())
    throw Error(MessageKind::encoder_option, beside(options),
                Error::Value::naming("`bitrate` " + verbatim(options.bitrate)), by_rate,
                "ask for a quality with `crf`");
  for (const auto& [key, value] : options.own) {
    const auto shown = Error::Value::naming(
        fmt::format("`encoder_options` {}={}", verbatim(key), verbatim(value)));
    check_option(options, key, value, shown);
    if (key.ends_with("-params") || key.ends_with("opts")) check_list(options, value, shown);
  }
}

}  // namespace vidconv
