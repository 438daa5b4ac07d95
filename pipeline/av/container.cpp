#include "pipeline/av/container.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
}

#include "kernels/base/names.h"
#include "pipeline/av/av_log.h"

namespace vidconv {
namespace {

bool is(const AVOutputFormat& container, std::string_view name) { return container.name == name; }

constexpr int compliance = FF_COMPLIANCE_EXPERIMENTAL;  // as Muxer has it

// Matroska also takes AVI's codecs under AVI's names, but does not say so when asked.
bool has_microsoft_tag(const AVOutputFormat& container, AVCodecID codec) {
  if (!is(container, "matroska")) return false;
  const AVCodecTag* const tables[] = {avformat_get_riff_video_tags(),
                                      avformat_get_riff_audio_tags(), nullptr};
  return av_codec_get_tag(tables, codec) != 0;
}

// It uses AVI's or QuickTime's names for video where it has none of its own; asked, it takes all.
bool has_name_in_matroska(const AVOutputFormat& container, AVCodecID video) {
  const AVCodecTag* const quicktime[] = {avformat_get_mov_video_tags(), nullptr};
  unsigned tag = 0;
  return av_codec_get_tag2(container.codec_tag, video, &tag) != 0 ||
         av_codec_get_tag2(quicktime, video, &tag) != 0;
}

// Its family shares a list of codecs, of which FFmpeg's muxers refuse these when they begin.
bool is_refused_by_mov(const AVOutputFormat& container, AVCodecID codec) {
  if (!is_mov_family(container) && !is(container, "ismv")) return false;
  const bool for_mp4 = codec == AV_CODEC_ID_VP9 || codec == AV_CODEC_ID_AV1;
  return codec == AV_CODEC_ID_VP8 || (for_mp4 && !is(container, "mp4"));
}

bool has_tag(const AVOutputFormat& container, AVCodecID codec) {
  unsigned tag = 0;
  return av_codec_get_tag2(container.codec_tag, codec, &tag) != 0;
}

// MPEG-TS carries anything, but others can read only these; FFmpeg has no list of them.
bool transport_stream_holds(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_DIRAC:
    case AV_CODEC_ID_MP2:
    case AV_CODEC_ID_MP3:
    case AV_CODEC_ID_AAC:
    case AV_CODEC_ID_AAC_LATM:
    case AV_CODEC_ID_AC3:
    case AV_CODEC_ID_EAC3:
    case AV_CODEC_ID_DTS:
    case AV_CODEC_ID_OPUS:
    case AV_CODEC_ID_S302M:
    case AV_CODEC_ID_DVB_SUBTITLE:
    case AV_CODEC_ID_DVB_TELETEXT:
    case AV_CODEC_ID_SMPTE_KLV:
    case AV_CODEC_ID_TIMED_ID3:
      return true;
    default:
      return false;
  }
}

// Blu-ray's transport streams have numbers for more codecs, which readers take for others
// elsewhere.
bool is_blu_ray(const AVFormatContext& muxer) {
  if (!is(*muxer.oformat, "mpegts")) return false;
  std::int64_t asked = 0;
  av_opt_get_int(muxer.priv_data, "mpegts_m2ts_mode", 0, &asked);
  return asked > 0 || (asked < 0 && av_match_ext(muxer.url, "m2ts"));
}

bool blu_ray_holds(const AVFormatContext& muxer, AVCodecID codec) {
  return is_blu_ray(muxer) && (codec == AV_CODEC_ID_PCM_BLURAY || codec == AV_CODEC_ID_TRUEHD ||
                               codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE);
}

// Program streams have no list either, and FFmpeg's muxer of them checks nothing.
bool program_stream_holds(const AVOutputFormat& container, AVCodecID codec) {
  const bool disc = !is(container, "mpeg") && !is(container, "vob");
  return codec == AV_CODEC_ID_MPEG1VIDEO ||
         (codec == AV_CODEC_ID_MPEG2VIDEO && !is(container, "vcd")) ||
         (!disc &&
          (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_MPEG4));
}

// Returns the first sound of that name; a video may have the same one.
AVCodecID sound_of_tag(const AVOutputFormat& container, unsigned tag) {
  for (const AVCodecTag* const* table = container.codec_tag; *table; ++table) {
    const AVCodecTag* const alone[] = {*table, nullptr};
    const AVCodecID codec = av_codec_get_id(alone, tag);
    if (avcodec_get_type(codec) == AVMEDIA_TYPE_AUDIO) return codec;
  }
  return AV_CODEC_ID_NONE;
}

// RIFF's header has the length of a packet and the bits of a sample, which these decoders need.
bool needs_riff_header(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_WMAV1:
    case AV_CODEC_ID_WMAV2:
    case AV_CODEC_ID_WMAPRO:
    case AV_CODEC_ID_WMAVOICE:
    case AV_CODEC_ID_WMALOSSLESS:
    case AV_CODEC_ID_XMA1:
    case AV_CODEC_ID_XMA2:
    case AV_CODEC_ID_ATRAC3:
    case AV_CODEC_ID_ATRAC3P:
    case AV_CODEC_ID_COOK:
    case AV_CODEC_ID_SIPR:
    case AV_CODEC_ID_RA_288:
    case AV_CODEC_ID_ADPCM_G726:
    case AV_CODEC_ID_ADPCM_G726LE:
      return true;
    default:
      return false;
  }
}

// DVB's subtitles say in MPEG-TS by their type, the fifth byte of a page's five, whether they are
// for the hard of hearing (ETSI EN 300 468, table 26).
void mark_subtitles(int disposition, AVCodecParameters& subtitles) {
  constexpr int page = 5, usual = 0x10, for_hard_of_hearing = 0x20;
  if (subtitles.codec_id != AV_CODEC_ID_DVB_SUBTITLE || subtitles.extradata_size % page != 0 ||
      !(disposition & AV_DISPOSITION_HEARING_IMPAIRED))
    return;
  for (int at = page - 1; at < subtitles.extradata_size; at += page) {
    std::uint8_t& type = subtitles.extradata[at];
    if ((type & 0xf0) == usual) type += for_hard_of_hearing - usual;
  }
}

std::vector<std::string_view> muxer_names() {
  std::vector<std::string_view> names{"raw", "y4m"};
  void* state = nullptr;
  while (const AVOutputFormat* muxer = av_muxer_iterate(&state)) names.push_back(muxer->name);
  return names;
}

}  // namespace

bool is_mpeg(AVCodecID codec) {
  return codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_MPEG2VIDEO;
}

bool is_program_stream(const AVOutputFormat& container) {
  for (const char* name : {"mpeg", "vob", "vcd", "svcd", "dvd"})
    if (is(container, name)) return true;
  return false;
}

const AVOutputFormat& choose_container(const std::string& output, const std::string& format) {
  const bool by_name = format.empty();
  // FFmpeg would take the ending for a Super Video CD's.
  const bool dvd = by_name && av_match_ext(output.c_str(), "vob");
  const std::string name = dvd ? "vob" : format;
  const AVOutputFormat* container = name.empty() ? av_guess_format(nullptr, output.c_str(), nullptr)
                                                 : av_guess_format(name.c_str(), nullptr, nullptr);
  if (!by_name && !container)
    throw Error(Fault::usage, "there is no container", format,
                "no format of FFmpeg's has that name" + did_you_mean(format, muxer_names()),
                "'ffmpeg -muxers' lists them");
  if (!container)
    throw Error(MessageKind::output_unsuited, "cannot tell the container from the name", output, "",
                "use an ending such as .mp4 or .mkv, or `format`");
  if (container->flags & AVFMT_NOFILE)
    throw Error(MessageKind::output_unsuited, "cannot write", output,
                std::string(container->long_name) + " is not written to one file",
                "use an ending such as .mp4 or .mkv");
  return *container;
}

const AVOutputFormat* image_container() { return av_guess_format("image2", nullptr, nullptr); }

bool is_image_name(const std::string& name) {
  return av_guess_format(nullptr, name.c_str(), nullptr) == image_container();
}

bool is_numbered(const std::string& name) { return av_filename_number_test(name.c_str()) == 1; }

std::string numbered(const std::string& name, int number) {
  char text[4096];
  if (av_get_frame_filename(text, sizeof text, name.c_str(), number) < 0)
    throw Error(MessageKind::output_unsuited, "cannot number the name", name, "");
  return text;
}

bool has_constant_rate(const AVOutputFormat& container) {
  // FFmpeg's flag for it is not reliable: mp4 lacks it.
  for (const char* name : {"avi", "mxf", "gxf", "rm", "swf"})
    if (is(container, name)) return true;
  return false;
}

bool can_hold(const AVOutputFormat& container, AVCodecID codec) {
  if (is(container, "mpegts")) return transport_stream_holds(codec);
  // Containers without data streams call the codec of data NONE, and claim to hold it.
  return codec != AV_CODEC_ID_NONE && avformat_query_codec(&container, codec, compliance) > 0;
}

bool returns_sound(const AVOutputFormat& container, AVCodecID codec, bool has_header) {
  unsigned tag = 0;
  const bool named = av_codec_get_tag2(container.codec_tag, codec, &tag) != 0;
  // It takes any sound, and its readers know those that it has a name for.
  if (is(container, "rm")) return named;
  // It has RIFF's names, of which several codecs may share one, without the rest of RIFF's header.
  if (is(container, "nut"))
    return named && sound_of_tag(container, tag) == codec && !needs_riff_header(codec);
  // It has no place for what AAC says beside its packets.
  if (is(container, "wtv")) return codec != AV_CODEC_ID_AAC || !has_header;
  // It takes some without what their decoders need beside their packets, and any by its name alone.
  return !is(container, "mov") || (codec != AV_CODEC_ID_NONE && codec != AV_CODEC_ID_WMAV1 &&
                                   codec != AV_CODEC_ID_WMAV2 && codec != AV_CODEC_ID_DFPWM);
}

bool tells_in_header(const AVOutputFormat& container) {
  for (const char* name : {"mxf", "mxf_d10", "mxf_opatom", "gxf", "dv", "rm", "ogg", "ogv", "oga"})
    if (is(container, name)) return true;
  return is_program_stream(container);
}

bool can_copy(const AVFormatContext& muxer, const AVStream& stream) {
  const AVOutputFormat& container = *muxer.oformat;
  const AVCodecParameters& parameters = *stream.codecpar;
  // MP4 has one name for data, GoPro's, and FFmpeg's muxer would give it to any.
  if (parameters.codec_id == AV_CODEC_ID_BIN_DATA &&
      av_codec_get_id(container.codec_tag, parameters.codec_tag) != AV_CODEC_ID_BIN_DATA)
    return false;
  const bool any_attachment =
      parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT && is(container, "matroska");
  const bool sound = parameters.codec_type == AVMEDIA_TYPE_AUDIO;
  if (sound && !returns_sound(container, parameters.codec_id, parameters.extradata_size > 0))
    return false;
  const bool in_program_stream =
      is_program_stream(container) && parameters.codec_id == AV_CODEC_ID_DVD_SUBTITLE;
  return any_attachment || can_hold(container, parameters.codec_id) ||
         has_microsoft_tag(container, parameters.codec_id) ||
         blu_ray_holds(muxer, parameters.codec_id) || in_program_stream ||
         (sound && (tells_in_header(container) || is(container, "mov")));
}

bool can_hold_video(const AVOutputFormat& container, AVCodecID codec) {
  // Matroska claims to hold animated pictures, but refuses them later or has no player for them.
  // For QuickTime's animations it does not say how many bits a pixel has.
  if (is_matroska(container) &&
      (codec == AV_CODEC_ID_GIF || codec == AV_CODEC_ID_APNG || codec == AV_CODEC_ID_QTRLE))
    return false;
  if (is(container, "matroska") && !has_name_in_matroska(container, codec)) return false;
  if (is_refused_by_mov(container, codec)) return false;
  // Its list is RIFF's, where samples have the number 0, which its muxer takes for none.
  if (is(container, "wtv") && codec == AV_CODEC_ID_RAWVIDEO) return false;
  // It writes any codec, and its readers know those that it has a name for.
  if (is(container, "rm") && !has_tag(container, codec)) return false;
  // No reader of FLV, FFmpeg's included, finds MPEG-4's header again, and H.263 has Sorenson's
  // number.
  if (is(container, "flv") && (codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_H263))
    return false;
  if (is_program_stream(container)) return is_mpeg(codec) && program_stream_holds(container, codec);
  if (can_hold(container, codec) || is(container, "image2")) return true;
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
  return descriptor && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY) &&
         has_microsoft_tag(container, codec);
}

bool may_hold_video(const AVOutputFormat& container, AVCodecID codec) {
  if (is_program_stream(container)) return program_stream_holds(container, codec);
  return can_hold_video(container, codec) || (tells_in_header(container) && !is(container, "rm"));
}

bool loses_video(const AVFormatContext& muxer, AVCodecID codec) {
  return codec == AV_CODEC_ID_DIRAC && is_blu_ray(muxer);
}

bool begins_with_video(const AVOutputFormat& container) {
  return is(container, "mxf") || is(container, "mxf_d10");
}

bool holds_one_of_each_kind(const AVOutputFormat& container) { return is(container, "flv"); }

bool is_mov_family(const AVOutputFormat& container) {
  for (const char* name : {"mov", "mp4", "ipod", "3gp", "3g2", "psp", "f4v"})
    if (is(container, name)) return true;
  return false;
}

std::string tags_without_place(const AVOutputFormat& container, const AVDictionary* tags) {
  static constexpr std::string_view quicktime[] = {
      "title", "artist",    "album", "date",  "encoder",  "comment",
      "genre", "copyright", "make",  "model", "location", "creation_time"};
  static constexpr std::string_view itunes[] = {
      "title",       "artist",        "album_artist", "composer",         "album",    "date",
      "encoder",     "comment",       "genre",        "copyright",        "grouping", "lyrics",
      "description", "synopsis",      "show",         "episode_id",       "network",  "keywords",
      "track",       "disc",          "compilation",  "gapless_playback", "hd_video", "media_type",
      "location",    "creation_time", "episode_sort", "season_number"};
  const std::span<const std::string_view> keys =
      is(container, "mov") ? std::span<const std::string_view>(quicktime) : itunes;
  std::string others;
  const AVDictionaryEntry* tag = nullptr;
  while ((tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX))) {
    std::string key = tag->key;
    std::ranges::transform(key, key.begin(), av_tolower);
    key.resize(std::min(key.size(), key.find('-')));  // drops the language: "location-eng"
    if (std::ranges::find(keys, key) == keys.end())
      others += (others.empty() ? "" : ", ") + verbatim(tag->key);
  }
  return others;
}

bool is_matroska(const AVOutputFormat& container) {
  return is(container, "matroska") || is(container, "webm");
}

bool holds_times_before_zero(const AVOutputFormat& container) {
  return is_mov_family(container) || is_matroska(container);
}

bool holds_lead_in(const AVOutputFormat& container) { return !is(container, "avi"); }

bool can_carry(const AVOutputFormat& container, AVPacketSideDataType type) {
  const bool is_layout = type == AV_PKT_DATA_STEREO3D || type == AV_PKT_DATA_SPHERICAL;
  const bool is_light =
      type == AV_PKT_DATA_MASTERING_DISPLAY_METADATA || type == AV_PKT_DATA_CONTENT_LIGHT_LEVEL;
  if (type == AV_PKT_DATA_ICC_PROFILE) return is(container, "mp4") || is(container, "mov");
  if (is_light && is(container, "mxf")) return true;
  if (is_light && is_mov_family(container)) return is(container, "mp4") || is(container, "mov");
  if (is_mov_family(container)) return !is_layout || is(container, "mp4");
  if (!is_matroska(container)) return false;
  constexpr unsigned with_rotation = AV_VERSION_INT(60, 16, 100);
  return type != AV_PKT_DATA_DISPLAYMATRIX || avformat_version() >= with_rotation;
}

void copy_stream_description(const AVStream& from, const AVOutputFormat& container, AVStream& to) {
  check_av(avcodec_parameters_copy(to.codecpar, from.codecpar), Fault::internal,
           "cannot describe a stream");
  // A codec tag means something in its own container only. QuickTime's muxer writes RIFF's header
  // for WMA Pro, and wants RIFF's tag.
  const bool is_wma_pro = from.codecpar->codec_id == AV_CODEC_ID_WMAPRO;
  if (!container.codec_tag ||
      (av_codec_get_id(container.codec_tag, from.codecpar->codec_tag) != from.codecpar->codec_id &&
       !(is_wma_pro && is(container, "mov"))))
    to.codecpar->codec_tag = 0;
  // QuickTime's muxer counts the samples of a packet by this, which not every reader tells.
  AVCodecParameters& p = *to.codecpar;
  if ((p.codec_id == AV_CODEC_ID_ADPCM_MS || p.codec_id == AV_CODEC_ID_ADPCM_IMA_WAV) &&
      p.frame_size == 0)
    p.frame_size = av_get_audio_frame_duration2(&p, p.block_align);
  // It would take samples below a byte for packets of one sample each, were it not for a size.
  const int bits = av_get_bits_per_sample(p.codec_id);
  if (is_mov_family(container) && p.codec_type == AVMEDIA_TYPE_AUDIO && bits > 0 && bits < 8)
    p.frame_size = std::max(p.frame_size, 2);
  to.time_base = from.time_base;
  to.avg_frame_rate = from.avg_frame_rate;
  to.sample_aspect_ratio = from.sample_aspect_ratio;
  to.disposition = from.disposition;
  copy_tags(from, container, to);
  copy_picture_side_data(from, to);
  if (is(container, "mpegts")) mark_subtitles(from.disposition, p);
}

void copy_tags(const AVStream& from, const AVOutputFormat& container, AVStream& to) {
  av_dict_copy(&to.metadata, from.metadata, 0);
  // A track of the MOV family has no other name.
  if (const AVDictionaryEntry* title = av_dict_get(from.metadata, "title", nullptr, 0);
      title && is_mov_family(container))
    av_dict_set(&to.metadata, "handler_name", title->value, 0);
}

void copy_programs(const AVFormatContext& from, const std::map<int, int>& streams,
                   AVFormatContext& to) {
  for (unsigned i = 0; i < from.nb_programs; ++i) {
    const AVProgram& program = *from.programs[i];
    AVProgram* copy = av_new_program(&to, program.id);
    if (!copy) throw_out_of_memory("for a program");
    av_dict_copy(&copy->metadata, program.metadata, 0);
    for (unsigned s = 0; s < program.nb_stream_indexes; ++s)
      if (const auto it = streams.find(static_cast<int>(program.stream_index[s]));
          it != streams.end())
        av_program_add_stream_index(&to, copy->id, static_cast<unsigned>(it->second));
  }
}

void copy_description(const AVFormatContext& from, std::int64_t begin, AVFormatContext& to) {
  av_dict_copy(&to.metadata, from.metadata, 0);
  // mp4's tags about the input file itself are not true of the output.
  for (const char* key : {"major_brand", "minor_version", "compatible_brands"})
    av_dict_set(&to.metadata, key, nullptr, 0);

  if (from.nb_chapters == 0) return;
  const auto check = [](const void* memory) {
    if (!memory) throw_out_of_memory("for the chapters");
  };
  to.chapters = static_cast<AVChapter**>(av_calloc(from.nb_chapters, sizeof(AVChapter*)));
  check(to.chapters);
  for (unsigned i = 0; i < from.nb_chapters; ++i) {
    const AVChapter& original = *from.chapters[i];
    const std::int64_t by = av_rescale_q(begin, AV_TIME_BASE_Q, original.time_base);
    if (by > 0 && original.end != AV_NOPTS_VALUE && original.end <= by) continue;
    auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    check(chapter);
    to.chapters[to.nb_chapters++] = chapter;  // freed with the container
    chapter->id = original.id;
    chapter->time_base = original.time_base;
    chapter->start = by > 0 ? std::max<std::int64_t>(0, original.start - by) : original.start - by;
    chapter->end = original.end == AV_NOPTS_VALUE ? original.end : original.end - by;
    av_dict_copy(&chapter->metadata, original.metadata, 0);
  }
}

}  // namespace vidconv
