#include "pipeline/io/byte_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "kernels/convolver/thread_pool.h"
#include "pipeline/base/stopwatch.h"
#include "pipeline/platform/process.h"
#include "pipeline/platform/usable_threads.h"

namespace vidconv {
namespace {

constexpr int pipe_bytes = 1 << 20;  // more than the default 64 KiB: fewer switches per frame
// Reads from a pipe take a quarter of it, so that its writer goes on while the rest is read.
constexpr std::size_t pipe_read_bytes = pipe_bytes / 4;

// Smaller reads of a file are not shared among threads: the cost of waking them has to be small.
constexpr std::size_t shared_bytes = 2 << 20;
// Each thread takes little at a time, because all wait for one that loses its CPU to an encoder
// meanwhile.
constexpr std::size_t piece_bytes = 256 << 10;

// Waits check this often whether to stop: a signal may reach another thread.
constexpr int poll_milliseconds = 100;
// Seconds that a reader of the output may be silent after an interruption.
constexpr double patience_seconds = 1;

// Explains an error, also for an inherited descriptor that is not open or of no use.
std::string reason(int error, const char* use) {
  return error == EBADF ? fmt::format("it is not open for {}", use) : std::strerror(error);
}

}  // namespace

int threads_that_read() { return std::min(usable_threads(), 16); }

bool sync_to_disk(int fd) {
  int code;
  while ((code = fsync(fd)) != 0 && errno == EINTR) {
  }
  return code == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == ENOSYS;
}

ByteReader::ByteReader(int fd, bool owns, std::string name, const std::atomic<bool>* interrupted)
    : fd_(fd), owns_(owns), name_(std::move(name)), interrupted_(interrupted) {
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    begin_ = lseek(fd, 0, SEEK_CUR);
    size_ = status.st_size - begin_;
  }
  if (size_ < 0) fcntl(fd, F_SETPIPE_SZ, pipe_bytes);  // fails where it is no pipe: no matter
}

ByteReader::~ByteReader() {
  if (owns_) close(fd_);
}

std::unique_ptr<ByteReader> ByteReader::open(const std::string& path,
                                             const std::atomic<bool>* interrupted) {
  const auto refuse = [&](const std::string& why) {
    throw Error(MessageKind::input_missing, "cannot open the input", path, why);
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) refuse(std::strerror(errno));
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(fd);
    refuse("it is a directory");
  }
  return std::make_unique<ByteReader>(fd, true, path, interrupted);
}

bool ByteReader::stopped() const { return cancelled_ || (interrupted_ && *interrupted_); }

bool ByteReader::wait_readable() const {
  if (size_ >= 0) return !stopped();  // files are always ready
  pollfd poll_fd{.fd = fd_, .events = POLLIN, .revents = 0};
  const auto start = Clock::now();
  while (!stopped()) {
    if (timeout_ > 0 && seconds_since(start) > timeout_)
      throw Error(MessageKind::input_silent, "cannot read the input", name_,
                  fmt::format("nothing came for {:g} s", timeout_), "see `timeout`");
    const int ready = poll(&poll_fd, 1, poll_milliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // read() reports errors
  }
  return false;
}

std::size_t ByteReader::read_some(std::span<std::byte> to) {
  if (!peeked_.empty()) {
    const std::size_t count = std::min(to.size(), peeked_.size());
    std::memcpy(to.data(), peeked_.data(), count);
    peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  while (wait_readable()) {
    const std::size_t most = size_ < 0 ? pipe_read_bytes : to.size();
    const ssize_t count = ::read(fd_, to.data(), std::min(to.size(), most));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN)
      throw Error(Fault::input, "cannot read the input", name_, reason(errno, "reading"));
  }
  return 0;
}

void ByteReader::read_by(int threads) {
  if (size_ < 0 || threads < 2) return;
  try {
    pool_ = std::make_unique<ThreadPool>(threads);
  } catch (const std::system_error&) {  // too few threads: one reads
  }
}

std::size_t ByteReader::read_pieces(std::span<std::byte> to) {
  const off_t begin = lseek(fd_, 0, SEEK_CUR);
  if (begin < 0 || stopped()) return 0;
  const std::size_t pieces = to.size() / piece_bytes;  // the last one takes the rest
  whole_.assign(pieces, 0);
  pool_->run(static_cast<int>(pieces), [&](int index, int) {
    const auto piece = static_cast<std::size_t>(index);
    const std::size_t end = piece + 1 == pieces ? to.size() : (piece + 1) * piece_bytes;
    std::size_t at = piece * piece_bytes;
    ssize_t count = 1;
    while (at < end && (count > 0 || (count < 0 && errno == EINTR))) {
      count = pread(fd_, &to[at], end - at, begin + static_cast<off_t>(at));
      if (count > 0) at += static_cast<std::size_t>(count);
    }
    whole_[piece] = at == end;
  });
  const auto missing = std::ranges::find(whole_, char{0});
  const std::size_t done = missing == whole_.end()
                               ? to.size()
                               : static_cast<std::size_t>(missing - whole_.begin()) * piece_bytes;
  return lseek(fd_, begin + static_cast<off_t>(done), SEEK_SET) < 0 ? 0 : done;
}

std::size_t ByteReader::read(std::span<std::byte> to) {
  // A missing rest is read once more below, which reports the error.
  std::size_t done = pool_ && peeked_.empty() && to.size() >= shared_bytes ? read_pieces(to) : 0;
  while (done < to.size()) {
    const std::size_t count = read_some(to.subspan(done));
    if (count == 0) break;
    done += count;
  }
  return done;
}

void ByteReader::seek(std::int64_t offset) {
  peeked_.clear();
  if (lseek(fd_, begin_ + offset, SEEK_SET) < 0)
    throw Error(Fault::input, "cannot read the input", name_, std::strerror(errno));
}

std::size_t ByteReader::read_at(std::int64_t offset, std::span<std::byte> to) const {
  const ssize_t count = pread(fd_, to.data(), to.size(), begin_ + offset);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

std::string_view ByteReader::peek(std::size_t count) {
  std::vector<char> bytes(count);
  bytes.resize(read(std::as_writable_bytes(std::span(bytes))));
  peeked_.insert(peeked_.begin(), bytes.begin(), bytes.end());
  return {peeked_.data(), bytes.size()};
}

ByteWriter::ByteWriter(int fd, std::string name)
    : fd_(fd), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), name_(std::move(name)) {
  ignore_broken_pipes();
  fcntl(fd, F_SETPIPE_SZ, pipe_bytes);
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  // Reopens the pipe, so that it does not block here and stays as it is for others who share `fd`.
  const std::string again = "/proc/self/fd/" + std::to_string(fd);
  const int own = ::open(again.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (own < 0) return;
  fd_ = own;
  owns_ = true;
}

ByteWriter::ByteWriter(std::unique_ptr<AddressWriter> address)
    : fd_(-1), address_(std::move(address)) {}

ByteWriter::~ByteWriter() {
  if (owns_) close(fd_);
  if (wake_ >= 0) close(wake_);
}

void ByteWriter::cancel() {
  if (address_)
    address_->cancel();
  else
    eventfd_write(wake_, 1);
}

void ByteWriter::wait_writable() {
  pollfd ends[] = {{.fd = fd_, .events = POLLOUT, .revents = 0},
                   {.fd = wake_, .events = POLLIN, .revents = 0}};
  std::optional<Clock::time_point> interrupted;  // when it was noticed
  int ready = 0;
  while (ready == 0 || (ready < 0 && errno == EINTR)) {
    if (interrupted_ && *interrupted_) {
      if (!interrupted) interrupted = Clock::now();
      if (seconds_since(*interrupted) > patience_seconds)
        throw Error(Fault::output, "cannot write to", name_,
                    "it was interrupted, and nobody reads it");
    }
    ready = poll(ends, 2, interrupted_ ? poll_milliseconds : -1);
  }
  if (ends[1].revents != 0)
    throw Error(Fault::output, "cannot write to", name_, "it was cancelled");
}

void ByteWriter::write(std::string_view bytes) {
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  write_all({&part, 1});
}

void ByteWriter::write_picture(const Frame& frame) {
  parts_.clear();
  for (int p = 0; p < frame.format().planes; ++p) {
    const std::size_t bytes = frame.format().row_bytes(p, frame.width());
    for (int y = 0; y < frame.format().rows(p, frame.height()); ++y) {
      std::byte* row = const_cast<std::byte*>(frame.row(p, y));
      if (!parts_.empty() &&
          static_cast<std::byte*>(parts_.back().iov_base) + parts_.back().iov_len == row)
        parts_.back().iov_len += bytes;
      else
        parts_.push_back({.iov_base = row, .iov_len = bytes});
    }
  }
  write_all(parts_);
}

void ByteWriter::sync() {
  if (address_) return address_->finish();
  if (!sync_to_disk(fd_))
    throw Error(Fault::output, "cannot write to", name_, std::strerror(errno));
}

std::int64_t ByteWriter::size() const {
  struct stat status;
  return fstat(fd_, &status) == 0 ? status.st_size : -1;
}

std::int64_t ByteWriter::read_at(std::int64_t offset, std::span<std::byte> to) const {
  return pread(fd_, to.data(), to.size(), offset);
}

void ByteWriter::write_all(std::span<iovec> parts) {
  if (address_) {
    address_->write(parts);
    for (const iovec& part : parts) bytes_ += static_cast<std::int64_t>(part.iov_len);
    return;
  }
  while (!parts.empty()) {
    const int count = static_cast<int>(std::min<std::size_t>(parts.size(), IOV_MAX));
    const ssize_t written = writev(fd_, parts.data(), count);
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        wait_writable();
        continue;
      }
      if (errno == EPIPE)
        throw Error(MessageKind::output_closed, "cannot write to", name_,
                    "its reader has closed it");
      throw Error(Fault::output, "cannot write to", name_, reason(errno, "writing"));
    }
    bytes_ += written;
    auto left = static_cast<std::size_t>(written);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (left > 0) {
      parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
}

}  // namespace vidconv
