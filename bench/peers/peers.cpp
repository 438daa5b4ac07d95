#include "bench/peers/peers.h"

namespace vidconv::bench {
namespace {

constexpr Peer table[] = {
#ifdef VIDCONV_BENCH_OPENCV
    {"OpenCV", Device::cpu, opencv_status, opencv_ways},
#endif
#ifdef VIDCONV_BENCH_FFMPEG
    {"FFmpeg", Device::cpu, ffmpeg_status, ffmpeg_ways},
#endif
    {"IPP", Device::cpu, ipp_status, ipp_ways},
#ifdef VIDCONV_HAVE_CUDA
    {"NPP", Device::cuda, npp_status, npp_ways},
#endif
};

}  // namespace

std::span<const Peer> peers() { return table; }

}  // namespace vidconv::bench
