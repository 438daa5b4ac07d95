#include "bench/peers/peers.h"

#include <cstring>

namespace vidconv::bench {
namespace {

// The C library's memcpy beside Kind::copy, to show how fast the memory is. Planes have no gaps
// between rows.
std::string memcpy_status() { return "of the C library"; }
std::vector<PeerWay> memcpy_ways(const Case& c, std::span<const PlanePair> planes) {
  if (c.kind != Kind::copy || c.threads != 1) return {};
  return {{"memcpy", [pairs = std::vector(planes.begin(), planes.end())](int i) {
             const PlanePair& pair = pairs[static_cast<std::size_t>(i) % pairs.size()];
             std::memcpy(pair.dst.data, pair.src.data,
                         static_cast<std::size_t>(pair.src.stride) *
                             static_cast<std::size_t>(pair.src.height));
           }}};
}

constexpr Peer table[] = {
#ifdef VIDCONV_BENCH_OPENCV
    {"OpenCV", Device::cpu, opencv_status, opencv_ways},
#endif
#ifdef VIDCONV_BENCH_FFMPEG
    {"FFmpeg", Device::cpu, ffmpeg_status, ffmpeg_ways},
#endif
    {"IPP", Device::cpu, ipp_status, ipp_ways},
    {"memcpy", Device::cpu, memcpy_status, memcpy_ways},
#ifdef VIDCONV_HAVE_CUDA
    {"NPP", Device::cuda, npp_status, npp_ways},
#endif
};

}  // namespace

std::span<const Peer> peers() { return table; }

}  // namespace vidconv::bench
