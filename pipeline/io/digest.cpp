#include "pipeline/io/digest.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "pipeline/base/error.h"

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

namespace vidconv {

void Digest::Free::operator()(AVSHA* p) const { av_free(p); }

Digest::Digest() : state_(av_sha_alloc()) {
  if (!state_) throw_out_of_memory("for a digest");
  av_sha_init(state_.get(), 256);
}

void Digest::add(std::string_view bytes) {
  av_sha_update(state_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string Digest::take() {
  std::array<std::uint8_t, 32> digest;
  av_sha_final(state_.get(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.take();
}

std::string digest_of_file(int fd, const std::string& name) {
  Digest digest;
  std::vector<char> block(1 << 20);
  for (off_t at = 0;;) {
    const ssize_t count = pread(fd, block.data(), block.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(Fault::input, "cannot read", name, std::strerror(errno));
    if (count == 0) return digest.take();
    digest.add({block.data(), static_cast<std::size_t>(count)});
    at += count;
  }
}

}  // namespace vidconv
