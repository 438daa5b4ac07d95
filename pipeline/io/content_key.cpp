#include "pipeline/io/content_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "pipeline/av/av.h"
#include "pipeline/io/digest.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace vidconv {
namespace {

// Returns up to `most` bytes from `offset` on; none where they cannot be read.
std::optional<std::string> bytes_at(int fd, off_t offset, std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t got = 0;
  while (got < most) {
    const ssize_t count =
        pread(fd, bytes.data() + got, most - got, offset + static_cast<off_t>(got));
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

// Opens a file without waiting for a pipe's writer.
struct KnownFile {
  explicit KnownFile(const std::string& path)
      : fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (fd < 0 || fstat(fd, &status) != 0) status = {};
  }
  ~KnownFile() {
    if (fd >= 0) close(fd);
  }
  KnownFile(const KnownFile&) = delete;
  KnownFile& operator=(const KnownFile&) = delete;
  bool is_regular() const { return S_ISREG(status.st_mode); }

  const int fd;
  struct stat status {};
};

}  // namespace

void ContentKey::add(std::string_view name, std::string_view value) {
  text_ += fmt::format("{} {} {} {}\n", name.size(), name, value.size(), value);
}

void ContentKey::add(std::string_view name, const std::vector<std::string>& values) {
  add(name, std::to_string(values.size()));
  for (const std::string& value : values) add(name, value);
}

std::string ContentKey::hex() const { return digest_of(text_); }

std::string libav_versions() {
  return fmt::format("{} avcodec {} avformat {} avutil {} swscale {} swresample {}",
                     av_version_info(), avcodec_version(), avformat_version(), avutil_version(),
                     swscale_version(), swresample_version());
}

std::optional<std::string> identity_of_file(const std::string& path) {
  constexpr std::size_t sample = 64 << 10;
  const KnownFile file(path);
  if (!file.is_regular()) return std::nullopt;
  const struct stat& status = file.status;
  const auto first = bytes_at(file.fd, 0, sample);
  const auto last =
      bytes_at(file.fd, std::max<off_t>(status.st_size - static_cast<off_t>(sample), 0), sample);
  if (!first || !last) return std::nullopt;
  return fmt::format("{} bytes, {}.{:09} s, {}", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, digest_of(*first + *last));
}

std::optional<std::string> content_of_file(const std::string& path) {
  const KnownFile file(path);
  if (!file.is_regular()) return std::nullopt;
  try {
    return "content " + digest_of_file(file.fd, path);
  } catch (const Error&) {  // the run itself will say why
    return std::nullopt;
  }
}

}  // namespace vidconv
