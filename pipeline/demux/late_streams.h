// LateStreams finds streams of a file that begin after libavformat has ceased to look for them, and
// streams that go on under another number. Outputs have to know their streams before the first
// packet, so a file is read once in advance, and only streams that begin late are decoded. In an
// input that is read once, only streams that go on under another number are found.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/av/av.h"

namespace vidconv {

class LateStreams {
 public:
  // Returns whether a container of this kind may have such streams. It was just opened.
  static bool may_be_in(const AVFormatContext& container);

  // Reads the file `url` that `container` was opened from, a gibibyte of it at most. If it cannot
  // be read, nothing is found, as whoever reads the container will see.
  void find(const AVFormatContext& container, const std::string& url,
            const AVIOInterruptCB& interrupt);
  // Returns how many bytes come before the first stream that the container has found and that is
  // another one under a new number, so that it can be opened anew without such streams; 0 if there
  // is none.
  std::int64_t border() const;
  // Gives the container, just opened, the streams that begin late, described as they will be, and
  // discards those that never have a packet.
  void add_to(AVFormatContext& container);

  // Puts a packet that was read into the stream it belongs to. Returns false if it has moved to
  // those that take_next() gives, or is to be dropped because it was among them.
  bool place(AVFormatContext& container, AVPacket& packet);
  // Moves a packet that goes before the next one read into an empty one; false if there is none.
  bool take_next(AVPacket& packet);
  // Says that the next packet read does not follow the last one.
  void restart();
  // Returns the number of packets that came out of the demuxer too late, after others had taken
  // their place.
  std::int64_t lost() const { return lost_; }

 private:
  struct Stream {
    int id = 0;
    AVCodecID codec = AV_CODEC_ID_NONE;
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    std::int64_t first = -1, last = -1;  // bytes of the file where its packets are
    std::int64_t begins_as = 0;          // packets of the file before its first
    CodecParametersPtr parameters;       // null unless it begins late
    AVRational time_base{0, 1}, rate{0, 1}, real_rate{0, 1}, sample_aspect{0, 1};
    int disposition = 0, program = -1;
    int place = -1;       // index in the container
    bool known = false;   // the container had found it
    bool listed = false;  // a program lists it in the end
    // The demuxer keeps the last pictures of a stream until the end of the file. These are they,
    // each with the number of packets before it, if another stream of its kind has begun in
    // between.
    std::vector<std::pair<std::int64_t, PacketPtr>> ending;
    Stream* before = nullptr;          // the stream that goes on as this one
    bool kept_by_demuxer = false;      // its ending is not known
    bool read = false, ended = false;  // in this pass
  };

  Stream& stream_of(const AVFormatContext& ahead, int index, const AVFormatContext& container);
  void watch(Stream& stream, const AVPacket& packet);
  static const AVCodecParameters* described_at(AVFormatContext& again, const Stream& stream);
  void describe(AVFormatContext& ahead, const AVFormatContext& container, const std::string& url,
                const AVIOInterruptCB& interrupt);
  void find_those_before();
  Stream* begun(AVFormatContext& container, const AVStream& stream);
  Stream* going_on_as(AVFormatContext& container, const AVStream& stream);
  void begin(Stream& stream, AVPacket& first);

  std::deque<Stream> streams_;  // as they were read in advance
  std::int64_t packets_ = 0;    // read in advance
  int known_ = 0, added_ = 0;   // streams of the container
  std::int64_t lost_ = 0;
  bool to_the_end_ = false;
  std::map<int, Stream*> begun_;  // in this pass, by the demuxer's number
  std::deque<PacketPtr> next_;
};

}  // namespace vidconv
