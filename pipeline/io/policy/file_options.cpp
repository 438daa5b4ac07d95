#include "pipeline/io/policy/file_options.h"

#include <algorithm>
#include <string_view>

#include "pipeline/av/av.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace vidconv {
namespace {

// These options are lists of library options, "key=value:key=value". The names of all options of
// these libraries were read: other lists, such as vvenc-params, are text like any.
constexpr std::string_view lists_of_options[] = {"x264-params",   "x264opts",   "x265-params",
                                                 "svtav1-params", "aom-params", "rav1e-params"};

// These options take words of the encoder's own, by FFmpeg's names and by those of the libraries.
constexpr std::string_view options_of_words[] = {"preset",
                                                 "tune",
                                                 "profile",
                                                 "level",
                                                 "level-idc",
                                                 "wpredp",
                                                 "deblock",
                                                 "psy-rd",
                                                 "partitions",
                                                 "analyse",
                                                 "me",
                                                 "direct",
                                                 "b-pyramid",
                                                 "nal-hrd",
                                                 "aq-mode",
                                                 "overscan",
                                                 "range",
                                                 "videoformat",
                                                 "colorprim",
                                                 "transfer",
                                                 "colormatrix",
                                                 "log",
                                                 "log-level",
                                                 "max-cll",
                                                 "master-display",
                                                 "hme-search",
                                                 "interlace",
                                                 "tune-content",
                                                 "content-light",
                                                 "mastering-display",
                                                 "color-primaries",
                                                 "transfer-characteristics",
                                                 "matrix-coefficients",
                                                 "sb-size",
                                                 "frame-packing"};

// These options name files whatever the value looks like: a file may be called 1.
constexpr std::string_view options_of_files[] = {"stats",
                                                 "passlogfile",
                                                 "qpfile",
                                                 "cqm",
                                                 "cqmfile",
                                                 "dump-yuv",
                                                 "opencl-clbin",
                                                 "csv",
                                                 "analysis-save",
                                                 "analysis-load",
                                                 "analysis-reuse-file",
                                                 "recon",
                                                 "scaling-list",
                                                 "lambda-file",
                                                 "dhdr10-info",
                                                 "dolby-vision-rpu",
                                                 "zonefile",
                                                 "nalu-file",
                                                 "film-grain-table",
                                                 "fgs-table",
                                                 "vmaf-model-path",
                                                 "partition-info-path",
                                                 "rate-distribution-info",
                                                 "two-pass-input",
                                                 "two-pass-output",
                                                 "second-pass-log",
                                                 "aom-film-grain",
                                                 "log-file"};
// x265 reads a file for this option; for SVT-AV1 it is a number.
constexpr std::string_view file_of_x265 = "film-grain";

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

bool is_text(const AVOption& option) {
  switch (option.type) {
    case AV_OPT_TYPE_STRING:
    case AV_OPT_TYPE_BINARY:
    case AV_OPT_TYPE_DICT:
      return true;
    default:
      return false;
  }
}

// Collects the types of all options of one name, in any class.
struct Kinds {
  bool is_known = false, is_text = false;

  void look_at(const AVClass* described, const std::string& key) {
    if (!described) return;
    const AVOption* option = nullptr;
    while ((option = av_opt_next(&described, option))) {
      if (option->type == AV_OPT_TYPE_CONST || key != option->name) continue;
      is_known = true;
      is_text = is_text || vidconv::is_text(*option);
    }
  }
  bool may_name_file() const { return !is_known || is_text; }
};

Kinds kinds_of_encoder_option(const std::string& key) {
  Kinds kinds;
  kinds.look_at(avcodec_get_class(), key);
  void* state = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&state))
    if (av_codec_is_encoder(codec)) kinds.look_at(codec->priv_class, key);
  return kinds;
}

// Libraries take '_' for '-', and x264 ignores case.
std::string plain_name(std::string_view key) {
  std::string name(key);
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

// Libraries skip "--" before a name. Behind "no" or "no-", too, they give an option a value: a file
// is called "false" then.
bool names_file_option(std::string_view list, std::string_view name) {
  const auto skip = [&](std::string_view prefix) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  };
  const auto is_one = [&] {
    return is_one_of(name, options_of_files) || (list == "x265-params" && name == file_of_x265);
  };
  skip("--");
  if (is_one()) return true;
  skip("no");
  skip("-");
  return is_one();
}

bool holds_only(std::string_view value, std::string_view more, bool letters) {
  return std::ranges::all_of(value, [&](const char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 128 && (letters ? std::isalnum(byte) : std::isdigit(byte))) ||
           more.find(c) != more.npos;
  });
}

bool is_word(std::string_view value) { return holds_only(value, "+-_.,:()", true); }

bool is_number(std::string_view value) {
  constexpr std::string_view switches[] = {"true", "false", "yes",  "no",
                                           "on",   "off",   "auto", "none"};
  return holds_only(value, "+-.,:", false) || is_one_of(value, switches);
}

bool pair_may_name_file(std::string_view list, std::string_view pair) {
  const std::size_t equals = std::min(pair.find('='), pair.size());
  const std::string key = plain_name(pair.substr(0, equals));
  const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
  if (!holds_only(key, "-", true)) return true;  // FFmpeg skips blanks around a name
  if (names_file_option(list, key)) return true;
  return is_one_of(key, options_of_words) ? !is_word(value) : !is_number(value);
}

// `value`: of the option that is called `list`.
bool list_may_name_file(std::string_view list, std::string_view value) {
  if (value.find_first_of("\\'\"") != value.npos) return true;  // quoting hides where a pair ends
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find(':', at), value.size());
    if (pair_may_name_file(list, value.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

bool encoder_option_may_name_file(const std::string& key, const std::string& value) {
  if (is_one_of(key, lists_of_options)) return list_may_name_file(key, value);
  if (is_one_of(plain_name(key), options_of_files)) return true;
  if (is_one_of(key, options_of_words)) return !is_word(value);
  return kinds_of_encoder_option(key).may_name_file();
}

bool muxer_option_may_name_file(const std::string& key) {
  Kinds kinds;
  kinds.look_at(avformat_get_class(), key);
  void* state = nullptr;
  while (const AVOutputFormat* muxer = av_muxer_iterate(&state))
    kinds.look_at(muxer->priv_class, key);
  return key != "brand" && kinds.may_name_file();
}

bool input_option_may_name_file(const std::string& key) {
  Kinds kinds;
  kinds.look_at(avformat_get_class(), key);
  void* state = nullptr;
  while (const AVInputFormat* demuxer = av_demuxer_iterate(&state))
    kinds.look_at(demuxer->priv_class, key);
  state = nullptr;
  while (const char* protocol = avio_enum_protocols(&state, 0))
    kinds.look_at(avio_protocol_get_class(protocol), key);
  return kinds.may_name_file();
}

}  // namespace vidconv
