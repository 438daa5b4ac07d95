#include "pipeline/sink/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

extern "C" {
#include <libavutil/intreadwrite.h>
#include <libavutil/mathematics.h>
}

namespace vidconv {
namespace {

std::string tag_of(const AVStream& stream, const char* key) {
  const AVDictionaryEntry* entry = av_dict_get(stream.metadata, key, nullptr, 0);
  return entry ? entry->value : "";
}

// Returns a name for people: the file's or codec's, or whatever else is known of it.
std::string name_of(const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  if (std::string file = tag_of(stream, "filename"); !file.empty()) return file;
  if (parameters.codec_id != AV_CODEC_ID_NONE) return avcodec_get_name(parameters.codec_id);
  char tag[AV_FOURCC_MAX_STRING_SIZE] = {};
  return parameters.codec_tag ? av_fourcc_make_string(tag, parameters.codec_tag) : "unknown";
}

std::string describe(const AVStream& stream) {
  const char* type = av_get_media_type_string(stream.codecpar->codec_type);
  return fmt::format("#{} ({}, {})", stream.index, type ? type : "unknown",
                     verbatim(name_of(stream)));
}

// Makes a cover picture a file among Matroska's attachments.
void make_attachment(const AVStream& from, AVStream& to) {
  const AVPacket& picture = from.attached_pic;
  AVCodecParameters& parameters = *to.codecpar;
  parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT;
  parameters.codec_id = from.codecpar->codec_id;
  const auto size = static_cast<std::size_t>(picture.size);
  parameters.extradata =
      static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
  if (!parameters.extradata) throw_out_of_memory("for a cover picture");
  std::memcpy(parameters.extradata, picture.data, size);
  parameters.extradata_size = picture.size;
  const bool png = parameters.codec_id == AV_CODEC_ID_PNG;
  av_dict_copy(&to.metadata, from.metadata, 0);
  av_dict_set(&to.metadata, "mimetype", png ? "image/png" : "image/jpeg", 0);
  // Replaces a generic name: players look for this one.
  if (tag_of(to, "filename").empty())
    av_dict_set(&to.metadata, "filename", png ? "cover.png" : "cover.jpg", 0);
}

// Returns what has to be added to the times of Opus for old versions of libavformat. Matroska's
// readers subtract the sound's lead-in (CodecDelay), which the muxer wrote without adding it to the
// times until that was fixed in the summer of 2022, for FFmpeg 6.0.
std::int64_t lead_in(const AVStream& stream) {
  if (avformat_version() > AV_VERSION_INT(59, 30, 100)) return 0;
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.codec_id != AV_CODEC_ID_OPUS || parameters.sample_rate <= 0) return 0;
  return av_rescale_q(parameters.initial_padding, {1, parameters.sample_rate}, stream.time_base);
}

// Returns whether packets were found, which tell what headers do not.
bool is_known(const AVStream& stream) {
  const AVCodecParameters& p = *stream.codecpar;
  if (p.codec_type == AVMEDIA_TYPE_VIDEO) return p.width > 0;
  return p.codec_type != AVMEDIA_TYPE_AUDIO || p.sample_rate > 0;
}

// Returns the number of samples that TTA's header tells, which Matroska does not hold; 0: unknown.
std::int64_t samples_of_tta(const AVCodecParameters& sound) {
  constexpr int header = 18;  // bytes, its last four the number of samples
  if (sound.codec_id != AV_CODEC_ID_TTA || sound.extradata_size < header) return 0;
  return AV_RL32(sound.extradata + header - 4);
}

bool is_cover(const AVStream& stream) {
  const AVCodecID codec = stream.codecpar->codec_id;
  return (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) && stream.attached_pic.size > 0 &&
         (codec == AV_CODEC_ID_MJPEG || codec == AV_CODEC_ID_PNG);
}

// FFmpeg's muxers of these take a cover and do not write it.
bool holds_covers(const AVOutputFormat& container) {
  const std::string_view name = container.name;
  return name != "mov" && name != "3gp" && name != "3g2" && name != "webm";
}

}  // namespace

Copies::Copies(Muxer& muxer, const AVOutputFormat& container, const std::string& audio,
               HeaderTrial& trial, Notify lose)
    : muxer_(muxer),
      container_(container),
      without_sound_(audio == "none"),
      sound_encoder_(audio.empty() || audio == "none" || audio == "copy"
                         ? nullptr
                         : &choose_sound_encoder(audio, container)),
      trial_(trial),
      lose_(std::move(lose)) {
  muxer_.on_refusal([this](const AVStream& to, const std::string& when, const std::string& why) {
    return refuse(to, when, why);
  });
}

void Copies::name_refused(int stream, const std::string& when, const std::string& why) {
  constexpr int most_told = 10;
  if (++refused_ <= most_told)
    notify(lose_, MessageKind::damaged,
           fmt::format("a packet of stream #{} at {} makes no sense, left out: {}", stream, when,
                       why));
}

bool Copies::refuse(const AVStream& to, const std::string& when, const std::string& why) {
  const auto it = std::ranges::find_if(copies_, [&](const auto& c) { return c.second.to == &to; });
  if (it == copies_.end() || it->second.sound) return false;  // our own packets are not at fault
  CopyStatistics& account = accounts_[it->first];
  --account.copied;
  --it->second.muxed;
  // Phones put several AMR frames into one packet, which FFmpeg's muxers of the MOV family refuse.
  if (to.codecpar->codec_id == AV_CODEC_ID_AMR_NB && is_mov_family(container_)) {
    if (account.left_out++ == 0)
      notify(
          lose_, MessageKind::left_out,
          fmt::format("{} holds one frame of AMR a packet, stream #{} (audio, amr_nb) has more and "
                      "is left out: use `format` matroska, or `audio` aac",
                      container_.name, it->first));
    return true;
  }
  ++account.refused;
  name_refused(it->first, when, why);
  return true;
}

void Copies::add(const AVStream& from) {
  // A text track with the chapters' titles is written anew with the chapters.
  if (from.discard == AVDISCARD_ALL) return;
  accounts_.try_emplace(from.index);
  const bool is_sound = from.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
  if (is_sound && without_sound_) return;
  const bool is_video = from.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
  const bool second = is_video || (is_sound && has_sound_);
  has_sound_ |= is_sound;
  if (second && holds_one_of_each_kind(container_)) return leave_out(from);
  Copy copy{.to = nullptr, .time_base = from.time_base, .subtitles = nullptr, .sound = nullptr};
  if (is_cover(from) && !holds_covers(container_)) return leave_out(from);
  if (is_matroska(container_) && is_cover(from)) {
    copy.to = &muxer_.add_stream();
    copy.in_header = true;
    make_attachment(from, *copy.to);
  } else if (is_sound && sound_encoder_) {
    copy.sound = SoundConverter::make(from, *sound_encoder_, container_);
    if (!copy.sound) return leave_out(from);
    add_sound(from, copy);
  } else if (takes(from)) {
    trial_.keep(from);
    name_palette(from);
    copy.to = &muxer_.add_stream();
    copy_stream_description(from, container_, *copy.to);
    copy.raw_aac = RawAac::make(from, muxer_.container());
    name_layer(from, *from.codecpar);
    if (is_matroska(container_) && from.codecpar->sample_rate > 0)
      copy.lasts = av_rescale_q(samples_of_tta(*from.codecpar), {1, from.codecpar->sample_rate},
                                from.time_base);
    // The sound's lead-in may come before the first picture.
    if (is_sound) muxer_.add_leader(*copy.to);
    if (is_matroska(container_)) copy.later = lead_in(from);
  } else if ((copy.subtitles = SubtitleConverter::make(from, container_))) {
    copy.to = &muxer_.add_stream();
    copy_stream_description(from, container_, *copy.to);
    const AVCodecContext& encoder = copy.subtitles->encoder();
    check_av(avcodec_parameters_from_context(copy.to->codecpar, &encoder), Fault::internal,
             "cannot describe a stream");
    trial_.keep(from, copy.to->codecpar);
    converted_ += fmt::format("{}{} to {}", converted_.empty() ? "" : ", ", describe(from),
                              avcodec_get_name(encoder.codec_id));
  } else {
    leave_out(from);
    if (is_sound) advise_for(from);
    return;
  }
  copies_.emplace(from.index, std::move(copy));
}

// A DVD has the colours of its subtitles in another file.
void Copies::name_palette(const AVStream& from) const {
  if (from.codecpar->codec_id == AV_CODEC_ID_DVD_SUBTITLE && from.codecpar->extradata_size > 0 &&
      is_program_stream(container_))
    notify(lose_, MessageKind::not_held,
           fmt::format("{} cannot hold the palette of {}: players will choose colours",
                       container_.name, describe(from)));
}

// MP4 has one number for all layers of MPEG's sound, which readers take for the third.
void Copies::name_layer(const AVStream& from, const AVCodecParameters& sound) const {
  const std::string_view name = container_.name;
  if (sound.codec_id == AV_CODEC_ID_MP2 && (name == "mp4" || name == "ismv" || name == "psp"))
    notify(lose_, MessageKind::not_held,
           fmt::format("{} does not tell mp2 from mp3: readers will take {} for mp3, `audio` aac "
                       "codes it anew",
                       container_.name, describe(from)));
}

// A packet of TTA in Matroska claims to last as long as all others. It would make the file longer,
// whose length readers take for that of the sound.
void Copies::cut_to_length(Copy& copy, AVPacket& packet) {
  if (copy.lasts <= 0 || packet.pts == AV_NOPTS_VALUE) return;
  copy.begin = copy.begin.value_or(packet.pts);
  const std::int64_t left = *copy.begin + copy.lasts - packet.pts;
  if (left > 0) packet.duration = std::min(packet.duration, left);
}

void Copies::name_lost_ends() const {
  if (!is_matroska(container_)) return;
  for (const auto& [index, copy] : copies_) {
    const std::int64_t samples = samples_of_tta(*copy.to->codecpar);
    const std::int64_t read = av_rescale(muxer_.end(), copy.to->codecpar->sample_rate, 1000);
    if (samples > 0 && read != samples)
      notify(lose_, MessageKind::not_held,
             fmt::format("{} does not say how long sound in TTA is: stream #{} has {} samples, "
                         "readers take it for {} and lose its last packet, `audio` flac codes it "
                         "anew without loss",
                         container_.name, index, samples, read));
  }
}

bool Copies::takes(const AVStream& stream) const {
  return can_copy(muxer_.container(), stream) && trial_.takes(stream);
}

// Names the encoder that would work, if any does.
void Copies::advise_for(const AVStream& sound) {
  if (!is_known(sound) || !avcodec_find_decoder(sound.codecpar->codec_id)) return;
  const std::string name = sound_encoder_for(container_);
  const AVCodec* encoder = name.empty() ? nullptr : avcodec_find_encoder_by_name(name.c_str());
  if (!encoder) return;
  try {
    const auto converter = SoundConverter::make(sound, *encoder, container_);
    if (!converter) return;
    CodecParametersPtr made(avcodec_parameters_alloc());
    if (!made || avcodec_parameters_from_context(made.get(), &converter->encoder()) < 0) return;
    if (trial_.takes(sound, made.get()))
      instead_ = fmt::format("; `audio` {} codes the sound anew", name);
  } catch (const Error& error) {
    if (error.kind() == MessageKind::memory) throw;
  }
}

void Copies::add_sound(const AVStream& from, Copy& copy) {
  copy.to = &muxer_.add_stream();
  copy_stream_description(from, container_, *copy.to);
  check_av(avcodec_parameters_from_context(copy.to->codecpar, &copy.sound->encoder()),
           Fault::internal, "cannot describe a stream");
  copy.time_base = copy.to->time_base = copy.sound->time_base();
  // Encoders start before the first sample, but deliver after the first picture is through.
  muxer_.add_leader(*copy.to);
  if (is_matroska(container_)) copy.later = lead_in(*copy.to);
  av_dict_set(&copy.to->metadata, "encoder", nullptr, 0);
  trial_.keep(from, copy.to->codecpar);
  name_layer(from, *copy.to->codecpar);
  converted_ += fmt::format("{}{} to {} by {}", converted_.empty() ? "" : ", ", describe(from),
                            avcodec_get_name(sound_encoder_->id), sound_encoder_->name);
}

void Copies::leave_out(const AVStream& stream) {
  std::string& list = is_known(stream) ? left_out_ : unknown_;
  list += (list.empty() ? "" : ", ") + describe(stream);
}

void Copies::convert_sound(Copy& copy, const AVPacket& packet, CopyStatistics& account) {
  const auto complain = [&](const std::string& why) {
    if (!std::exchange(copy.complained, true))
      notify(lose_, MessageKind::damaged,
             fmt::format("sound of stream #{} makes no sense in places: {}", packet.stream_index,
                         why));
  };
  const std::int64_t errors = copy.sound->errors().count();
  try {
    copy.sound->write(packet, [&](AVPacket& made) {
      ++account.encoded;
      mux(copy, made);
    });
    ++account.decoded;
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    ++account.refused;
    return complain(error.why());
  }
  if (copy.sound->errors().count() == errors) return;
  ++account.failed;
  complain(copy.sound->errors().first());
}

void Copies::mux(Copy& copy, AVPacket& packet) {
  cut_to_length(copy, packet);
  if (packet.pts != AV_NOPTS_VALUE) packet.pts = av_sat_add64(packet.pts, copy.later);
  if (packet.dts != AV_NOPTS_VALUE) packet.dts = av_sat_add64(packet.dts, copy.later);
  ++copy.muxed;
  muxer_.write(packet, copy.time_base, *copy.to);
}

void Copies::finish() {
  for (auto& entry : copies_)
    if (entry.second.sound)
      entry.second.sound->finish([&](AVPacket& made) {
        ++accounts_[entry.first].encoded;
        mux(entry.second, made);
      });
}

// Returns nullptr where there is nothing to write, and counts that.
PacketPtr Copies::convert(Copy& copy, const AVPacket& packet, CopyStatistics& account) const {
  try {
    PacketPtr text = copy.subtitles->convert(packet);
    if (!text) ++account.empty;
    return text;
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    ++account.left_out;
    if (!std::exchange(copy.complained, true))
      notify(lose_, MessageKind::left_out,
             fmt::format("subtitles of stream #{} make no sense, left out: {}", packet.stream_index,
                         error.why()));
    return nullptr;
  }
}

void Copies::write(AVPacket& packet) {
  CopyStatistics& account = accounts_[packet.stream_index];
  const auto it = copies_.find(packet.stream_index);
  if (it == copies_.end()) {
    ++account.left_out;  // a message said so
    return;
  }
  Copy& copy = it->second;
  if (copy.in_header) {
    ++account.copied;
    return;
  }
  if (copy.sound) return convert_sound(copy, packet, account);
  PacketPtr text;
  if (copy.subtitles && !(text = convert(copy, packet, account))) return;
  if (copy.raw_aac) {
    const std::int64_t time = packet.pts;
    const int stream = packet.stream_index;
    if (const std::string why = copy.raw_aac->convert(packet); !why.empty()) {
      ++account.refused;
      const double seconds = static_cast<double>(time) * av_q2d(copy.time_base);
      return name_refused(stream, fmt::format("{:.6g} s", seconds), why);
    }
  }
  ++account.copied;
  mux(copy, text ? *text : packet);
}

void Copies::check_written() const {
  for (const auto& [index, copy] : copies_)
    if (copy.muxed != muxer_.written(*copy.to))
      throw Error(MessageKind::unaccounted, "packets were lost on the way to the output",
                  fmt::format("stream #{}", index),
                  fmt::format("{} went in, {} were written", copy.muxed, muxer_.written(*copy.to)));
}

std::map<int, int> Copies::streams() const {
  std::map<int, int> streams;
  for (const auto& [index, copy] : copies_) streams[index] = copy.to->index;
  return streams;
}

}  // namespace vidconv
