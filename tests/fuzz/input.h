// Shared by the targets that open inputs.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>

#include "pipeline/source/source.h"

namespace vidconv::fuzz {

// FFmpeg is not instrumented and not under test: no single allocation for a frame, FFmpeg's or
// ours, may be larger.
constexpr std::size_t most_bytes = 32 << 20;

inline std::byte* allocate_limited(std::size_t bytes, Nodes) noexcept {
  return bytes > most_bytes ? nullptr : plain_memory.allocate(bytes, 0);
}
inline const FrameMemory limited_memory = {"limited", allocate_limited, plain_memory.release};

// An unnamed file that holds the bytes.
class FuzzedFile {
 public:
  explicit FuzzedFile(std::span<const std::uint8_t> bytes)
      : fd_(memfd_create("fuzzed", MFD_CLOEXEC)) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (fd_ < 0 || write(fd_, bytes.data(), bytes.size()) != size) std::abort();
    lseek(fd_, 0, SEEK_SET);
  }
  ~FuzzedFile() { close(fd_); }
  FuzzedFile(const FuzzedFile&) = delete;
  FuzzedFile& operator=(const FuzzedFile&) = delete;

  int fd() const { return fd_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// Calls `act`, which may throw an Error, but not one with Fault::internal.
template <class Act>
void expect_no_fault_of_ours(Act act) {
  try {
    act();
  } catch (const Error& error) {
    const bool limit = error.message().find("out of memory") != std::string::npos;
    if (error.fault() == Fault::internal && !limit) {
      std::cerr << error.message() << '\n';
      std::abort();
    }
  }
}

}  // namespace vidconv::fuzz
