// Copies: what becomes of the streams that are not filtered.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "pipeline/account.h"
#include "pipeline/muxer.h"
#include "pipeline/subtitles.h"

namespace vidconv {

class Copies {
 public:
  // `lose` hears of packets that cannot be carried on, and may throw. Stays where it is.
  Copies(Muxer& muxer, Notify lose);
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  // Adds the stream that carries on `from`, or one that carries what is in it. What the container
  // cannot hold is remembered as left out.
  void add(const AVStream& from, const AVOutputFormat& container);

  // Names of the streams that were left out; empty where none was.
  const std::string& left_out() const { return left_out_; }
  // One line for people for each stream that comes out in another form; empty where none does.
  const std::string& converted() const { return converted_; }

  // Hands a packet of the source to the muxer, or drops it where its stream was left out.
  void write(AVPacket& packet);

  // By stream index of the source: the stream of the output, and what became of the packets.
  std::map<int, int> streams() const;
  const std::map<int, CopyAccount>& accounts() const { return accounts_; }

  // After the muxer has finished. Throws Error(unaccounted) where it has not written what it got.
  void check_written() const;

 private:
  struct Copy {
    AVStream* to;
    AVRational time_base;                          // of the packets that come
    std::unique_ptr<SubtitleConverter> subtitles;  // nullptr: packets stay as they are
    std::int64_t later = 0;                        // what the container will take from its times
    bool in_header = false;                        // the picture is written with the header
    std::int64_t muxed = 0;                        // packets
    bool complained = false;                       // of subtitles that make no sense
  };

  void leave_out(const AVStream& stream);
  // Of the muxer's stream; false where it is no copy.
  bool refuse(const AVStream& to, const std::string& when, const std::string& why);
  PacketPtr convert(Copy& copy, const AVPacket& packet, CopyAccount& account) const;

  Muxer& muxer_;
  const Notify lose_;
  std::map<int, Copy> copies_;  // by stream index of the source, as the next
  std::map<int, CopyAccount> accounts_;
  std::string left_out_, converted_;
  int refused_ = 0;  // packets
};

}  // namespace vidconv
