// Copies: what becomes of the streams that are not filtered.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "pipeline/av/header_trial.h"
#include "pipeline/base/packet_statistics.h"
#include "pipeline/sink/muxer.h"
#include "pipeline/sink/sound.h"
#include "pipeline/sink/subtitles.h"

namespace vidconv {

class Copies {
 public:
  // `audio`: of SinkOptions. `lose` hears of packets that cannot be carried on, and
  // may throw. `trial` has the streams that are no copies, and outlives this. Throws as
  // choose_sound_encoder() does. Stays where it is.
  Copies(Muxer& muxer, const AVOutputFormat& container, const std::string& audio,
         HeaderTrial& trial, Notify lose);
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Adds the stream that carries on `from`, or one that carries what is in it. What the container
  // cannot hold is remembered as left out.
  void add(const AVStream& from);

  // Names of the streams that were left out; empty where none was.
  const std::string& left_out() const { return left_out_; }
  // Those of which nothing was found where they were looked for, left out as well.
  const std::string& unknown() const { return unknown_; }
  // For people, what the user can do about sound that was left out; empty where none was.
  const std::string& instead() const { return instead_; }
  // Whether sound was to be coded anew and none has come.
  bool misses_sound() const { return sound_encoder_ && !has_sound_; }
  // One line for people for each stream that comes out in another form; empty where none does.
  const std::string& converted() const { return converted_; }

  // Hands a packet of the source to the muxer, or drops it where its stream was left out.
  void write(AVPacket& packet);

  // No more packets: what is inside of encoders comes out.
  void finish();

  // By stream index of the source: the stream of the output, and what became of the packets.
  std::map<int, int> streams() const;
  const std::map<int, CopyStatistics>& accounts() const { return accounts_; }

  // After the muxer has finished. Throws Error(unaccounted) where it has not written what it got.
  void check_written() const;

 private:
  struct Copy {
    AVStream* to;
    AVRational time_base;                          // of the packets that come
    std::unique_ptr<SubtitleConverter> subtitles;  // both nullptr: packets stay as they are
    std::unique_ptr<SoundConverter> sound;
    std::int64_t later = 0;   // what the container will take from its times
    bool in_header = false;   // the picture is written with the header
    std::int64_t muxed = 0;   // packets
    bool complained = false;  // of subtitles that make no sense
  };

  bool takes(const AVStream& stream) const;
  void leave_out(const AVStream& stream);
  void advise_for(const AVStream& sound);
  // Of the muxer's stream; false where it is no copy.
  bool refuse(const AVStream& to, const std::string& when, const std::string& why);
  void add_sound(const AVStream& from, Copy& copy);
  void convert_sound(Copy& copy, const AVPacket& packet, CopyStatistics& account);
  void mux(Copy& copy, AVPacket& packet);
  PacketPtr convert(Copy& copy, const AVPacket& packet, CopyStatistics& account) const;

  Muxer& muxer_;
  const AVOutputFormat& container_;
  const bool without_sound_;
  const AVCodec* const sound_encoder_;  // nullptr: sound stays as it is
  HeaderTrial& trial_;
  const Notify lose_;
  std::map<int, Copy> copies_;  // by stream index of the source, as the next
  std::map<int, CopyStatistics> accounts_;
  std::string left_out_, unknown_, instead_, converted_;
  bool has_sound_ = false;
  int refused_ = 0;  // packets
};

}  // namespace vidconv
