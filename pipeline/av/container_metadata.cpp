#include "pipeline/av/container_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

// Lists what a container holds. Words are divided by spaces; "*" stands for all.
struct Holdings {
  std::string_view containers;  // by FFmpeg's names
  bool chapters = false;
  std::string_view tags = "", stream_tags = "", dispositions = "";
  std::string_view but = "";  // the file's tags that have no place although `tags` is "*"
  std::string_view of_sound = "", of_subtitles = "";  // dispositions of these streams alone
};

constexpr std::string_view mp4_streams = "language title creation_time timecode";
constexpr std::string_view mp4_dispositions =
    "default dub comment forced hearing_impaired visual_impaired captions descriptions";

// Lists what FFmpeg's muxers write so that its demuxers find it again. The MOV family has a list
// for tags without a place of their own (tags_without_place()).
constexpr Holdings holdings_table[] = {
    {"matroska", true, "*", "*",
     "default dub original comment forced hearing_impaired visual_impaired", "", "",
     "descriptions"},
    {"webm", true, "*", "*", "default forced", "", "", "captions descriptions"},
    {"mp4", true, "*", mp4_streams, mp4_dispositions},
    {"ipod psp f4v", true, "*", "language title creation_time", "default"},
    {"3gp 3g2", true, "creation_time", "language title creation_time", "default"},
    {"mov", true, "*", mp4_streams, "default"},
    {"nut", true, "*", "*", "default dub original comment lyrics karaoke"},
    {"ogg ogv oga opus spx", false, "*", "*", "", "creation_time"},
    {"asf asf_stream", true, "*", "language", "", "creation_time"},
    {"flv", false, "*", "", ""},
    {"avi", false,
     "album artist comment copyright date encoded_by genre language timecode title track", "title",
     ""},
    {"mpegts", false, "title", "language", "", "",
     "hearing_impaired visual_impaired descriptions clean_effects", "hearing_impaired"},
    {"mxf mxf_d10 mxf_opatom", false, "timecode", "timecode", ""},
    {"dv", false, "timecode", "timecode", ""},
    {"gxf", false, "timecode timecode_at_mark_in timecode_at_mark_out", "", ""},
    {"gif", false, "comment", "", ""},
};
constexpr Holdings nothing{""};

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const Holdings& holdings_of(const AVOutputFormat* container) {
  if (!container) return nothing;
  const auto row = std::ranges::find_if(
      holdings_table, [&](const Holdings& h) { return has_word(h.containers, container->name); });
  return row == std::end(holdings_table) ? nothing : *row;
}

// Returns whether a tag is the writer's: about itself and its work, the kind of a stream, or an
// attached picture or file.
bool is_of_writer(std::string_view key) {
  constexpr std::string_view names[] = {
      "encoder",       "handler_name",         "vendor_id",         "major_brand",
      "minor_version", "compatible_brands",    "software",          "filename",
      "mimetype",      "application_platform", "company_name",      "uid",
      "service_name",  "service_provider",     "modification_date", "operational_pattern_ul",
      "generation_uid"};
  constexpr std::string_view beginnings[] = {"duration",         "_statistics",  "bps",
                                             "number_of_",       "product_",     "toolkit_version",
                                             "variant_bitrate",  "encoder-",     "id3v2_priv",
                                             "material_package", "file_package_"};
  return std::ranges::find(names, key) != std::end(names) ||
         std::ranges::any_of(beginnings, [&](std::string_view b) { return key.starts_with(b); });
}

void append(std::string& list, std::string_view word) {
  list.append(list.empty() ? "" : ", ").append(word);
}

// Returns the tags that have no place; `holds` says which have one.
template <class Holds>
std::string lost_tags(const AVDictionary* tags, const Holds& holds) {
  std::string lost;
  const AVDictionaryEntry* tag = nullptr;
  while ((tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX))) {
    std::string key = tag->key;
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!is_of_writer(key) && !holds(key, std::string_view(tag->value))) append(lost, tag->key);
  }
  return lost;
}

// QuickTime numbers languages, and has only these; where a language has two names, FFmpeg knows the
// one here.
bool has_number_in_quicktime(std::string_view language) {
  return has_word(
      "eng fra ger ita dut sve spa dan por nor heb jpn ara fin gre ice mlt tur chi urd hin tha kor "
      "lit pol hun est lav rus iri alb ron ces slk slv yid mac bul ukr bel uzb kaz aze arm geo mol "
      "kir tgk tuk mon pus kur kas snd tib nep san mar ben asm guj ori mal kan tam tel bur khm lao "
      "vie ind tgl may amh tir orm som swa run mlg epo wel baq cat lat que grn aym tat uig dzo jav",
      language);
}

bool holds_language(const AVOutputFormat& container, const AVStream& stream,
                    std::string_view language) {
  if (language == "und") return true;
  const std::string_view name = container.name;
  const bool letters = language.size() == 3;
  if (name == "mpegts") return letters && stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO;
  if (name == "mov") return has_number_in_quicktime(language);
  const bool counts_letters = name == "mp4" || name == "ipod" || name == "3gp" || name == "3g2";
  return letters || !counts_letters;
}

// Returns what is lost of a stream, without tags that the whole `file` has too.
std::string lost_of_stream(const AVStream& stream, const AVDictionary* file,
                           const AVOutputFormat* container, const Holdings& held) {
  std::string lost =
      lost_tags(stream.metadata, [&](const std::string& key, std::string_view value) {
        if (key == "language" && value == "und") return true;
        // stereo_mode is both a tag and side data; the side data is handled elsewhere.
        if (key == "stereo_mode" && !side_data(stream, AV_PKT_DATA_STEREO3D).empty()) return true;
        const AVDictionaryEntry* whole = av_dict_get(file, key.c_str(), nullptr, 0);
        if (whole && whole->value == value) return true;
        if (held.stream_tags != "*" && !has_word(held.stream_tags, key)) return false;
        return key != "language" || holds_language(*container, stream, value);
      });
  constexpr std::pair<int, std::string_view> dispositions[] = {
      {AV_DISPOSITION_DUB, "dub"},
      {AV_DISPOSITION_ORIGINAL, "original"},
      {AV_DISPOSITION_COMMENT, "comment"},
      {AV_DISPOSITION_LYRICS, "lyrics"},
      {AV_DISPOSITION_KARAOKE, "karaoke"},
      {AV_DISPOSITION_FORCED, "forced"},
      {AV_DISPOSITION_HEARING_IMPAIRED, "hearing_impaired"},
      {AV_DISPOSITION_VISUAL_IMPAIRED, "visual_impaired"},
      {AV_DISPOSITION_CLEAN_EFFECTS, "clean_effects"},
      {AV_DISPOSITION_CAPTIONS, "captions"},
      {AV_DISPOSITION_DESCRIPTIONS, "descriptions"},
      {AV_DISPOSITION_DEPENDENT, "dependent"}};
  const AVMediaType type = stream.codecpar->codec_type;
  const std::string_view more = type == AVMEDIA_TYPE_AUDIO      ? held.of_sound
                                : type == AVMEDIA_TYPE_SUBTITLE ? held.of_subtitles
                                                                : "";
  for (const auto& [flag, word] : dispositions)
    if ((stream.disposition & flag) && !has_word(held.dispositions, word) && !has_word(more, word))
      append(lost, fmt::format("that it is {}", word));
  return lost;
}

// Returns whether `stream` is marked default and is not the first of its kind in the output, so
// that the mark matters.
bool has_choice(const AVFormatContext& input, const std::map<int, int>& streams,
                const AVStream& stream) {
  if (!(stream.disposition & AV_DISPOSITION_DEFAULT)) return false;
  for (const auto& entry : streams) {
    const AVStream& other = *input.streams[entry.first];
    if (other.codecpar->codec_type == stream.codecpar->codec_type)
      return other.index != stream.index;
  }
  return false;
}

}  // namespace

bool holds_stream_tag(const AVOutputFormat& container, std::string_view key) {
  const Holdings& held = holdings_of(&container);
  return held.stream_tags == "*" || has_word(held.stream_tags, key);
}

std::string words_without_place(const AVFormatContext& input, const std::map<int, int>& streams,
                                const AVOutputFormat* container) {
  const Holdings& held = holdings_of(container);
  // Ogg writes the file's tags into each stream that has none of that name.
  const auto hidden = [&](const std::string& key) {
    const auto has = [&](const auto& entry) {
      return av_dict_get(input.streams[entry.first]->metadata, key.c_str(), nullptr, 0);
    };
    return held.containers.starts_with("ogg") && !streams.empty() &&
           std::ranges::all_of(streams, has);
  };
  std::string lost;
  if (input.nb_chapters > 0 && !held.chapters) lost = "chapters";
  if (const std::string tags = lost_tags(input.metadata,
                                         [&](const std::string& key, std::string_view) {
                                           return held.tags == "*"
                                                      ? !hidden(key) && !has_word(held.but, key)
                                                      : has_word(held.tags, key);
                                         });
      !tags.empty())
    lost += fmt::format("{}the tags {}", lost.empty() ? "" : "; ", tags);
  for (const auto& entry : streams) {
    const AVStream& stream = *input.streams[entry.first];
    std::string words = lost_of_stream(stream, input.metadata, container, held);
    if (!has_word(held.dispositions, "default") && has_choice(input, streams, stream))
      append(words, "that it is default");
    if (!words.empty())
      lost += fmt::format("{}of stream #{}: {}", lost.empty() ? "" : "; ", stream.index, words);
  }
  constexpr std::size_t longest = 1000;  // the file's author may have written anything
  return shortened(lost, longest);
}

}  // namespace vidconv
