// StartSearch finds where in a container to begin so that the picture at a wanted time is whole.
// Containers without an index lead to the middle of pictures that refer to others, and those with
// one to where something is decoded, not shown.
#pragma once

#include <cstdint>

#include "pipeline/demux/container_input.h"

namespace vidconv {

// Goes back further and further until it finds a key frame, and from it a whole picture at the
// wanted time or before. Times are microseconds of the container.
class StartSearch {
 public:
  // Does not move yet.
  StartSearch(ContainerInput& input, std::int64_t start) : input_(input), start_(start) {}

  // Goes to another place, further back than the last one. All that was read before is void, and
  // the input has other streams.
  void go_back();
  // Returns whether the place is found.
  bool begun() const { return state_ == State::begun; }
  // Returns whether what was read shows that the place is too late.
  bool too_late() const { return state_ == State::too_late; }
  // Says that the input has ended.
  void end();

  // Returns whether a packet of the video is for the decoder: not before the first key frame.
  bool takes(const AVPacket& packet, AVRational time_base);
  // Judges a picture that has come out of the decoder, shown at `time`. `whole`: nothing is missing
  // in it; `complaints`: there was damage since it was last forgotten. Returns true if the damage
  // so far says nothing about the range that begins at the start, and is to be forgotten: it lies
  // well before, or comes from having begun here.
  bool judge(std::int64_t time, bool whole, bool complaints);

 private:
  // begun: a whole picture has come, or there is nowhere else to begin.
  enum class State : std::uint8_t { waits_for_key, waits_for_picture, too_late, begun };

  ContainerInput& input_;
  const std::int64_t start_;
  std::int64_t back_ = 0;  // distance from the start
  State state_ = State::begun;
};

}  // namespace vidconv
