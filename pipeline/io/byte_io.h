// Bytes from and to file descriptors: files, pipes, sockets; and to addresses.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/av/frame.h"
#include "pipeline/io/address.h"

namespace vidconv {

class ThreadPool;

// Reads in order; somebody else can make it stop waiting. All but cancel() belong to one thread.
class ByteReader {
 public:
  // `name` is for messages. `interrupted` may be null. Closes `fd` if it `owns` it.
  ByteReader(int fd, bool owns, std::string name, const std::atomic<bool>* interrupted);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  // Opens a file, or a pipe without waiting for its writer. Throws Error(input).
  static std::unique_ptr<ByteReader> open(const std::string& path,
                                          const std::atomic<bool>* interrupted);

  // At least one byte and at most to.size(); 0 at the end and when stopped. Throws Error(input).
  std::size_t read_some(std::span<std::byte> to);
  // All of `to`, or less at the end and when stopped.
  std::size_t read(std::span<std::byte> to);
  // From now on what is read at once of a regular file, where it is much, is read by so many
  // threads: one alone copies no faster than one CPU does. Others stay as they are.
  void read_by(int threads);
  // Of a regular file: what is read next begins so many bytes behind where it began when it was
  // opened. Throws Error(input).
  void seek(std::int64_t offset);
  // The same bytes without going there: how many of `to` there are, or could be read.
  std::size_t read_at(std::int64_t offset, std::span<std::byte> to) const;
  // The first bytes of what comes next, without taking them: `count`, or fewer at the end.
  std::string_view peek(std::size_t count);

  // Reads throw where nothing comes for so many seconds; 0: they wait for ever, as they do
  // without this.
  void set_timeout(double seconds) { timeout_ = seconds; }

  // Makes read calls return early, now and from now on. Any thread.
  void cancel() { cancelled_ = true; }
  // Cancelled or interrupted: an end that was seen is not the end of the data.
  bool stopped() const;

  const std::string& name() const { return name_; }
  // What a regular file held from here on when it was opened, bytes; -1 for everything else.
  std::int64_t size() const { return size_; }

 private:
  bool wait_readable() const;
  // Reads pieces of `to`, each by one thread, and returns how many bytes those have that came whole
  // before the first that did not.
  std::size_t read_pieces(std::span<std::byte> to);

  const int fd_;
  const bool owns_;
  const std::string name_;
  const std::atomic<bool>* interrupted_;
  std::atomic<bool> cancelled_ = false;
  double timeout_ = 0;
  std::int64_t begin_ = 0, size_ = -1;
  std::vector<char> peeked_;          // bytes before the descriptor's own
  std::unique_ptr<ThreadPool> pool_;  // may be null
  std::vector<char> whole_;           // of the pieces that it reads, which came whole
};

// For read_by(), of frames: as many as there are CPUs, 16 at most. Encoders want these as well, but
// wait for what is read.
int threads_that_read();

// As fsync(2); where there is no such thing, as of pipes and on some file systems, that is no
// failure.
bool sync_to_disk(int fd);

// Writes in order. Throws Error(output), also where the reader of a pipe has gone. All but cancel()
// belong to one thread.
class ByteWriter {
 public:
  // Does not close `fd`. Ignores SIGPIPE from now on, for the whole process.
  ByteWriter(int fd, std::string name);
  // To an address, which heeds interruptions by itself.
  explicit ByteWriter(std::unique_ptr<AddressWriter> address);
  ~ByteWriter();
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  // Makes a write that waits for the reader of a pipe throw, now and from now on. Any thread.
  void cancel();
  // The same, a second after that has become true, unless something is read meanwhile: what waits
  // shall be finished, but not for ever. Outlives this object.
  void heed(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  void write(std::string_view bytes);
  // The visible samples, packed without gaps, from where they lie.
  void write_picture(const Frame& frame);
  std::int64_t bytes() const { return bytes_; }  // written so far
  // Returns when all of it is on the disk, or sent, where that is where it goes. The last call.
  void sync();

  // Of a file: as lseek(2) and pread(2), whose -1 and errno are handed on.
  std::int64_t seek(std::int64_t offset, int whence) { return lseek(fd_, offset, whence); }
  std::int64_t size() const;
  std::int64_t read_at(std::int64_t offset, std::span<std::byte> to) const;

 private:
  void write_all(std::span<iovec> parts);
  void wait_writable();

  int fd_;
  bool owns_ = false;
  int wake_ = -1;  // an eventfd: readable once cancelled
  const std::atomic<bool>* interrupted_ = nullptr;
  const std::string name_;
  const std::unique_ptr<AddressWriter> address_;  // instead of a descriptor; or nullptr
  std::vector<iovec> parts_;
  std::int64_t bytes_ = 0;
};

}  // namespace vidconv
