// LateStreams: streams of a file that begin after libavformat has ceased to look for them, and
// those that go on under another number. Outputs have to know their streams before the first
// packet, so a file is read once in advance, and nothing of it decoded but what begins late. Of an
// input that is read once, only those are found that go on under another number.
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
  // Whether a container of this kind may have such streams. It was just opened.
  static bool may_be_in(const AVFormatContext& container);

  // Reads the file `url` that `container` was opened from, a gibibyte of it at most. Where it
  // cannot be read, nothing is found, as who reads the container will see.
  void find(const AVFormatContext& container, const std::string& url,
            const AVIOInterruptCB& interrupt);
  // Where the container has found streams that are others under another number: how many bytes come
  // before the first of these, so that it can be opened anew without them. Else 0.
  std::int64_t border() const;
  // Gives the container, just opened, the streams that begin late, described as they will be, and
  // discards those that never have a packet.
  void add_to(AVFormatContext& container);

  // Puts a packet that was read into the stream it is of. False where it has moved into those that
  // take_next() gives, or is to be dropped because it was among them.
  bool place(AVFormatContext& container, AVPacket& packet);
  // Packets to be handed on before the next is read, into an empty one; false where there is none.
  bool take_next(AVPacket& packet);
  // What is read next does not follow what was read before.
  void restart();
  // Packets that came out of the demuxer too late, after others had taken their place.
  std::int64_t lost() const { return lost_; }

 private:
  struct Stream {
    int id = 0;
    AVCodecID codec = AV_CODEC_ID_NONE;
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    std::int64_t first = -1, last = -1;  // bytes of the file where its packets are
    std::int64_t begins_as = 0;          // how many packets of the file come before its first
    CodecParametersPtr parameters;       // null unless it begins late
    AVRational time_base{0, 1}, rate{0, 1}, real_rate{0, 1}, sample_aspect{0, 1};
    int disposition = 0, program = -1;
    int place = -1;       // in the container
    bool known = false;   // the container had found it
    bool listed = false;  // a program has it in the end
    // The demuxer keeps the last pictures of a stream until the end of the file. These are they,
    // with how many packets come before each, where another of its kind has begun in between.
    std::vector<std::pair<std::int64_t, PacketPtr>> ending;
    Stream* before = nullptr;          // the one that goes on as this
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
