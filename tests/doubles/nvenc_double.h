// A double of NVIDIA's libnvidia-encode.so.1: NVENC for machines and chips that have none. It codes
// without compression (h264_pcm.h), so that whatever was encoded can be compared with what it was
// encoded from. Frames of the device it reads as late as NVENC may, through CUDA's driver.
//
// glibc knows libraries by their SONAME: what is loaded under this name before libavcodec asks for
// it is what libavcodec gets.
#pragma once

#include <atomic>

namespace vidconv::test {

struct NvencDouble {
  // What it is to do.
  std::atomic<int> calls_to_failure{-1};  // that succeed before one fails; negative: none fails
  std::atomic<int> failure{0};            // with this NVENCSTATUS
  std::atomic<int> b_frames{0};           // between two others, coded after the second of them
  std::atomic<bool> ten_bits{true};       // whether the chip knows samples of 10 bits
  // What it has seen, in all sessions.
  std::atomic<int> calls{0};          // that could have failed
  std::atomic<int> sessions{0};       // open now
  std::atomic<int> surfaces{0};       // of the device, registered now
  std::atomic<int> most_surfaces{0};  // at once, ever
  std::atomic<int> registrations{0};  // ever
  std::atomic<int> from_host{0};      // pictures
  std::atomic<int> from_device{0};
  std::atomic<int> rate_control{-1};  // NV_ENC_PARAMS_RC_MODE and quality of the last session
  std::atomic<int> quality{-1};
};

}  // namespace vidconv::test

// The one there is.
extern "C" vidconv::test::NvencDouble* nvenc_double();
