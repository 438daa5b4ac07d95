// Programs that do the same work, timed in the same run on the same memory. Each peer is one file
// and one row in peers.cpp; a peer that is not installed offers nothing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/device.h"
#include "kernels/filter/filter.h"
#include "kernels/picture/plane.h"

namespace vidconv::bench {

enum class Kind : std::uint8_t {
  box,       // size x size, equal taps
  gaussian,  // size x size, sigma = size / 6
  dense,     // size x size, integer taps over 256, of full rank
  sobel,     // gradient magnitude (l2) of 3 x 3
  sobel_x,   // one of its two kernels
  binomial,  // size x size, 1 2 1 and its kin
  sharpen,   // 3 x 3
  unsharp,   // 5 x 5
  copy,      // one tap
};

struct Case {
  Kind kind;
  int size;  // taps in a row and in a column
  SampleType sample;
  int width, height;  // size of the plane
  Filter filter;      // filter that vidconv computes
  int threads;        // CPU threads
};

// One way in which a peer can do the work.
struct PeerWay {
  std::string name;  // "NPP FilterBorder32f"
  Body body;         // queues or does the work on pair i
  // Brings the result of body(0) into pair 0's destination; empty where it is there already.
  std::function<void()> deliver = nullptr;
};

struct Peer {
  const char* name;
  Device device;
  std::string (*status)();  // version, or the reason why it is not there
  // `pairs` are planes of the case's size in the device's memory; body(i) works on pairs[i % size].
  std::vector<PeerWay> (*ways)(const Case&, std::span<const PlanePair> pairs);
};

std::span<const Peer> peers();

// Returns the sigma of Kind::gaussian: 3 sigma reach the edge, as vidconv's default does.
constexpr double sigma_of(int size) { return size / 6.0; }

std::string opencv_status();
std::vector<PeerWay> opencv_ways(const Case&, std::span<const PlanePair>);
std::string ffmpeg_status();
std::vector<PeerWay> ffmpeg_ways(const Case&, std::span<const PlanePair>);
std::string ipp_status();
std::vector<PeerWay> ipp_ways(const Case&, std::span<const PlanePair>);
std::string npp_status();
std::vector<PeerWay> npp_ways(const Case&, std::span<const PlanePair>);

}  // namespace vidconv::bench
