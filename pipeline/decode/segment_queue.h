// SegmentQueue: a video stream between the thread that reads it and the sessions that decode it. It
// is cut into parts that begin with key frames; what sessions make of them comes out in order.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/decode/decoder.h"
#include "pipeline/decode/segment_cuts.h"

namespace vidconv {

struct SegmentOptions {
  int sessions = 4;          // decoders side by side
  std::size_t frames = 256;  // decoded frames of all parts that may wait for the parts before them
  int least_packets = 12;    // of a part: starting one costs a few frames
  bool join = false;  // decoders go from part to part without a restart; only where can_join()
  // How long a decoder waits for a part to join while the stream is asked for packets: about as
  // long as a restart takes.
  std::chrono::milliseconds patience{50};
};

// Packets that are decoded one after another, and the frames that came of them. The picture shown
// at `first` begins the part: what comes out before it belongs to the part before, as the picture
// shown at `end` does to the next.
struct StreamSegment {
  enum class Output : std::uint8_t {
    coming,
    held,   // the last frames are in the decoder: its session waits for a part to join
    ended,  // no more frames will come
  };

  std::size_t number = 0;  // in the stream
  // AV_NOPTS_VALUE: the part begins, or ends, with whatever comes out; of `first` also when that
  // picture has come out.
  std::int64_t first = AV_NOPTS_VALUE, end = AV_NOPTS_VALUE;
  std::deque<PacketPtr> packets;
  std::size_t sent = 0;         // packets in all
  bool complete = false;        // no more packets will come
  std::deque<FramePtr> frames;  // nullptr: damage
  Output output = Output::coming;
  std::condition_variable changed;  // its session waits for packets, or for room
};
using SegmentPtr = std::shared_ptr<StreamSegment>;

class SegmentQueue {
 public:
  using Result = VideoDecoder::Result;

  // `parameters` outlives this object.
  SegmentQueue(const AVCodecParameters& parameters, const SegmentOptions& options);

  // For the thread that reads the stream: as those of VideoDecoder. receive() rethrows what a
  // session failed with.
  Result send(const AVPacket* packet);
  Result receive(FramePtr& frame);
  // So many have something to do: one until a first frame has come out.
  std::size_t useful_sessions() const;
  // A session begins.
  void add_session();

  // Ends all that waits. Any thread.
  void cancel();
  // All sessions were refused. Any thread.
  bool refused() const;
  // What the refused ones complained of.
  std::string refusal() const;

  // For sessions, each on a thread of its own. What waits gives nothing once all is cancelled.
  //
  // Waits for a part that nobody works on; nullptr: there are no more, nor can one be given back.
  SegmentPtr next_part();
  // The same for a decoder that still holds frames of `before`: waits for one that is complete.
  // nullptr: the stream has none soon, or it ended.
  SegmentPtr part_to_join(StreamSegment& before);
  // Waits for it; nullptr: the part has no more.
  PacketPtr next_packet(StreamSegment& part);
  // Waits for room. nullptr: damage. The picture that begins the next part is dropped.
  void put(StreamSegment& part, FramePtr frame);
  // No more frames will come.
  void end(StreamSegment& part);
  // The session ends, because the device refused it. Others get the part where no more than its
  // first packet was tried: `packet`, nullptr where the session had begun with more.
  void refuse(const SegmentPtr& part, PacketPtr packet, const std::string& why);
  // The session could not begin, which matters where it is the only one.
  void lose_session(const std::exception_ptr& why);
  // A session failed, and everything with it.
  void fail(const std::exception_ptr& why);

 private:
  // What the thread that reads the stream is about.
  enum class Reader : std::uint8_t {
    elsewhere,
    asked,   // for packets: what receive() gave last
    at_end,  // it has no more
  };
  // How far it has come. What comes later matters more: there is no way back.
  enum class Course : std::uint8_t {
    unproven,
    proven,     // a frame has come out
    refused,    // by all sessions
    failed,     // failure_ is why
    cancelled,  // by the reader or whoever waits for it
  };
  void turn(Course to) { course_ = std::max(course_, to); }
  void fail_with(const std::exception_ptr& why);

  void begin_part(const AVPacket& packet, Cut cut);
  void append(StreamSegment& part, const AVPacket& packet);
  void complete(StreamSegment& part);
  SegmentPtr take_waiting();
  bool cancelled() const { return course_ == Course::cancelled; }
  bool over() const { return course_ >= Course::refused; }
  bool at_end() const { return reader_ == Reader::at_end; }
  // No session works on the part whose frames come out next: one was refused it.
  bool first_waits() const { return !waiting_.empty() && waiting_.front() == parts_.front(); }
  bool has_room(const StreamSegment& part) const;
  void wake_all();

  const AVCodecParameters& parameters_;
  const SegmentOptions options_;
  mutable std::mutex mutex_;  // of all below but tail_ and times_known_, which belong to send()
  std::condition_variable ready_;     // receive() waits for a frame,
  std::condition_variable idle_;      // sessions for a part,
  std::condition_variable joinable_;  // or for a complete one; see also StreamSegment
  std::deque<SegmentPtr> parts_;      // in order; the first one's frames come out
  std::deque<SegmentPtr> waiting_;    // in order, that no session works on
  std::size_t packets_ = 0;           // that wait to be decoded
  std::size_t frames_ = 0;            // that wait for receive()
  int sessions_ = 0;                  // begun and not refused
  int worked_on_ = 0;                 // parts
  Reader reader_ = Reader::elsewhere;
  Course course_ = Course::unproven;
  std::string refusal_;
  std::exception_ptr failure_;
  SegmentPtr tail_;          // the part before the last, while it may still need packets
  bool times_known_ = true;  // every packet so far has said when its frame is shown
};

}  // namespace vidconv
