// Computes the MD5 of bytes that come in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "pipeline/base/error.h"

extern "C" {
#include <libavutil/md5.h>
#include <libavutil/mem.h>
}

namespace vidconv {

class Md5 {
 public:
  Md5() : state_(av_md5_alloc()) {
    if (!state_) throw_out_of_memory("for a digest");
    av_md5_init(state_.get());
  }

  void add(const std::byte* bytes, std::size_t count) {
    av_md5_update(state_.get(), reinterpret_cast<const std::uint8_t*>(bytes), count);
  }

  // Returns the digest in hexadecimal and starts anew.
  std::array<char, 32> take() {
    std::array<std::uint8_t, 16> digest;
    av_md5_final(state_.get(), digest.data());
    av_md5_init(state_.get());
    std::array<char, 32> text;
    for (std::size_t i = 0; i < digest.size(); ++i) {
      text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
      text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  struct Free {
    void operator()(AVMD5* p) const { av_free(p); }
  };
  std::unique_ptr<AVMD5, Free> state_;
};

}  // namespace vidconv
