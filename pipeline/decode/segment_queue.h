// SegmentQueue takes a video stream from the thread that reads it to the sessions that decode it.
// It cuts the stream into segments that begin with key frames; their frames come out in order.
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
  std::size_t frames = 256;  // decoded frames that may wait for the segments before theirs
  int least_packets = 12;    // at least, since starting a segment costs a few frames
  bool join = false;         // decoders go on without a restart; only where can_join()
  // Time for which a decoder waits for a segment to join while more packets are asked for: about as
  // long as a restart takes.
  std::chrono::milliseconds patience{50};
};

// Packets that are decoded one after another, and their frames. The picture shown at `first` begins
// the segment: frames that come out before it belong to the segment before, as the picture shown at
// `end` belongs to the next.
struct StreamSegment {
  enum class Output : std::uint8_t {
    coming,
    held,   // the decoder holds the last frames: its session waits for a segment to join
    ended,  // no more frames will come
  };

  std::size_t number = 0;  // index in the stream
  // AV_NOPTS_VALUE: the segment begins, or ends, with whatever comes out; for `first` also when
  // that picture has come out.
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

  // send() and receive() are for the thread that reads the stream and do as VideoDecoder's.
  // receive() rethrows what a session failed with.
  Result send(const AVPacket* packet);
  Result receive(FramePtr& frame);
  // Returns how many sessions have something to do: one until a first frame has come out.
  std::size_t useful_sessions() const;
  // Counts a session that begins.
  void add_session();

  // Ends all waiting. Thread-safe.
  void cancel();
  // Returns whether all sessions were refused. Thread-safe.
  bool refused() const;
  // Returns the first complaint of a refused session.
  std::string refusal() const;

  // The rest is for sessions, each on a thread of its own. Calls that wait return nothing once all
  // is cancelled.
  //
  // Waits for a segment that nobody works on; nullptr: there are no more, nor can one be given
  // back.
  SegmentPtr next_part();
  // Waits for a complete segment, for a decoder that still holds frames of `before`. nullptr: the
  // stream has none soon, or has ended.
  SegmentPtr part_to_join(StreamSegment& before);
  // Waits for the segment's next packet; nullptr: it has no more.
  PacketPtr next_packet(StreamSegment& part);
  // Adds a frame as soon as there is room; nullptr: damage. Drops the picture that begins the next
  // segment.
  void put(StreamSegment& part, FramePtr frame);
  // Says that no more frames will come.
  void end(StreamSegment& part);
  // Ends a session that the device refused. Others get its segment if no more than its first packet
  // was tried, which is `packet`; nullptr if the session had begun with more.
  void refuse(const SegmentPtr& part, PacketPtr packet, const std::string& why);
  // Notes that a session could not begin, which matters if it is the only one.
  void lose_session(const std::exception_ptr& why);
  // Notes that a session failed, and everything with it.
  void fail(const std::exception_ptr& why);

 private:
  // The state of the thread that reads the stream.
  enum class Reader : std::uint8_t {
    elsewhere,
    asked,   // receive() has asked it for packets
    at_end,  // it has no more packets
  };
  // The progress of the queue. Later values matter more: there is no way back.
  enum class Course : std::uint8_t {
    unproven,
    proven,     // a frame has come out
    refused,    // by all sessions
    failed,     // failure_ is why
    cancelled,  // by the reader, or by whoever waits for it
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
  // Returns whether no session works on the segment whose frames come out next: one was refused it.
  bool first_waits() const { return !waiting_.empty() && waiting_.front() == parts_.front(); }
  bool has_room(const StreamSegment& part) const;
  void wake_all();

  const AVCodecParameters& parameters_;
  const SegmentOptions options_;
  mutable std::mutex mutex_;  // guards all below but tail_ and times_known_, which are send()'s
  std::condition_variable ready_;     // receive() waits for a frame
  std::condition_variable idle_;      // sessions wait for a segment
  std::condition_variable joinable_;  // sessions wait for a complete one; see also StreamSegment
  std::deque<SegmentPtr> parts_;      // in order; the first one's frames come out
  std::deque<SegmentPtr> waiting_;    // in order; no session works on them
  std::size_t packets_ = 0;           // packets that wait to be decoded
  std::size_t frames_ = 0;            // frames that wait for receive()
  int sessions_ = 0;                  // sessions begun and not refused
  int worked_on_ = 0;                 // segments that sessions work on
  Reader reader_ = Reader::elsewhere;
  Course course_ = Course::unproven;
  std::string refusal_;
  std::exception_ptr failure_;
  SegmentPtr tail_;          // the segment before the last, while it may need packets
  bool times_known_ = true;  // every packet so far has said when its frame is shown
};

}  // namespace vidconv
