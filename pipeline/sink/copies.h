// Copies: carries streams that are not filtered from the source to the muxer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/av/header_trial.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/sink/muxer.h"
#include "pipeline/sink/raw_aac.h"
#include "pipeline/sink/sound.h"
#include "pipeline/sink/subtitles.h"

namespace vidconv {

class Copies {
 public:
  // `audio` is SinkOptions::audio. `lose` hears of packets that cannot be carried over, and may
  // throw. `trial` has the streams that are not copies, and outlives this object. Throws as
  // choose_sound_encoder() does. Must not be moved.
  Copies(Muxer& muxer, const AVOutputFormat& container, const std::string& audio,
         HeaderTrial& trial, Notify lose);
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Adds the output stream for `from`, as a stream copy or re-encoded. Remembers it as left out
  // where the container cannot hold it.
  void add(const AVStream& from);

  // Names the streams that were left out; empty where none was.
  const std::string& left_out() const { return left_out_; }
  // Names the streams that were left out because nothing was found of them where it was looked for.
  const std::string& unknown() const { return unknown_; }
  // Says, for people, what the user can do about sound that was left out; empty where none was.
  const std::string& instead() const { return instead_; }
  // Returns whether sound was to be re-encoded, but the input has none.
  bool misses_sound() const { return sound_encoder_ && !has_sound_; }
  // Describes, for people, the streams that come out in another form; empty where none does.
  const std::string& converted() const { return converted_; }

  // Hands a packet of the source to the muxer, or drops it where its stream was left out.
  void write(AVPacket& packet);

  // Ends the packets: those that are inside encoders come out.
  void finish();

  // Return, by the source's stream index, the stream of the output, and what became of the packets.
  std::map<int, int> streams() const;
  const std::map<int, CopyStatistics>& accounts() const { return accounts_; }

  // Throws Error(unaccounted) where the muxer has not written all packets it got. Call it after the
  // muxer has finished.
  void check_written() const;
  // Names sound that readers of the finished container cannot tell the length of.
  void name_lost_ends() const;

 private:
  struct Copy {
    AVStream* to;
    AVRational time_base;                          // for incoming packets
    std::unique_ptr<SubtitleConverter> subtitles;  // both nullptr: a stream copy
    std::unique_ptr<SoundConverter> sound;
    std::unique_ptr<RawAac> raw_aac = nullptr;  // where the packets of a copy are in ADTS
    std::int64_t lasts = 0;                     // TTA as its header says, in time_base; 0: unknown
    std::optional<std::int64_t> begin = {};     // when the first packet is heard
    std::int64_t later = 0;   // added to its times, as the container will subtract it
    bool in_header = false;   // the picture is written with the header
    std::int64_t muxed = 0;   // packets
    bool complained = false;  // about packets that make no sense
  };

  bool takes(const AVStream& stream) const;
  void name_palette(const AVStream& from) const;
  static void cut_to_length(Copy& copy, AVPacket& packet);
  // `sound` is what the output has of it.
  void name_layer(const AVStream& from, const AVCodecParameters& sound) const;
  void leave_out(const AVStream& stream);
  void advise_for(const AVStream& sound);
  // Counts a packet that the muxer refused, and reports it; returns false where `to` is no copy.
  bool refuse(const AVStream& to, const std::string& when, const std::string& why);
  // Reports a packet of this stream of the source that is left out.
  void name_refused(int stream, const std::string& when, const std::string& why);
  void add_sound(const AVStream& from, Copy& copy);
  void convert_sound(Copy& copy, const AVPacket& packet, CopyStatistics& account);
  void mux(Copy& copy, AVPacket& packet);
  PacketPtr convert(Copy& copy, const AVPacket& packet, CopyStatistics& account) const;

  Muxer& muxer_;
  const AVOutputFormat& container_;
  const bool without_sound_;
  const AVCodec* const sound_encoder_;  // nullptr: sound is copied
  HeaderTrial& trial_;
  const Notify lose_;
  std::map<int, Copy> copies_;  // by the source's stream index, as the next one
  std::map<int, CopyStatistics> accounts_;
  std::string left_out_, unknown_, instead_, converted_;
  bool has_sound_ = false;
  int refused_ = 0;  // packets
};

}  // namespace vidconv
