// A double of NVIDIA's libnvidia-encode.so.1, for machines and chips without NVENC. It encodes
// without compression (h264_pcm.h), so that the output can be compared with its source. It reads
// frames on the device as late as NVENC may, through CUDA's driver.
//
// glibc knows libraries by their SONAME: libavcodec gets the library that was loaded under this
// name before.
#pragma once

#include <atomic>

namespace vidconv::test {

struct NvencDouble {
  // Tests set these to control the double.
  std::atomic<int> calls_to_failure{-1};  // calls that succeed before one fails; negative: all
  std::atomic<int> failure{0};            // the NVENCSTATUS of the call that fails
  std::atomic<int> b_frames{0};           // between two others, coded after the second of them
  std::atomic<bool> ten_bits{true};       // whether the chip supports samples of 10 bits
  // Tests read these counters over all sessions.
  std::atomic<int> calls{0};          // calls that could have failed
  std::atomic<int> sessions{0};       // open now
  std::atomic<int> surfaces{0};       // device surfaces registered now
  std::atomic<int> most_surfaces{0};  // largest number at once so far
  std::atomic<int> registrations{0};  // total so far
  std::atomic<int> from_host{0};      // pictures encoded from host memory
  std::atomic<int> from_device{0};
  std::atomic<int> rate_control{-1};  // NV_ENC_PARAMS_RC_MODE and quality of the last session
  std::atomic<int> quality{-1};
};

}  // namespace vidconv::test

// Returns the only one.
extern "C" vidconv::test::NvencDouble* nvenc_double();
