// Reads and writes bytes through file descriptors (files, pipes, sockets), and writes to addresses.
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

// Reads in order; another thread can make it stop waiting. All but cancel() belong to one thread.
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

  // Returns at least one byte and at most to.size(); 0 at the end and when stopped. Blocks. Throws
  // Error(input).
  std::size_t read_some(std::span<std::byte> to);
  // Fills all of `to`, or less at the end and when stopped. Blocks.
  std::size_t read(std::span<std::byte> to);
  // Makes later large reads of a regular file use this many threads: one thread copies no faster
  // than one CPU does. Has no effect on pipes.
  void read_by(int threads);
  // Moves to `offset` bytes behind where a regular file began when it was opened. Throws
  // Error(input).
  void seek(std::int64_t offset);
  // Reads from `offset`, counted in this way, without moving there. Returns how many bytes it read,
  // 0 where it failed.
  std::size_t read_at(std::int64_t offset, std::span<std::byte> to) const;
  // Returns the next bytes without consuming them: `count`, or fewer at the end.
  std::string_view peek(std::size_t count);

  // Makes reads throw where nothing comes for so many seconds; 0, the default: they wait for ever.
  void set_timeout(double seconds) { timeout_ = seconds; }

  // Makes reads return early, now and from now on. Thread-safe.
  void cancel() { cancelled_ = true; }
  // Returns whether it is cancelled or interrupted: an end that was seen is not the end of the
  // data.
  bool stopped() const;

  const std::string& name() const { return name_; }
  // Returns the bytes from here on that a regular file held when it was opened; -1 for everything
  // else.
  std::int64_t size() const { return size_; }

 private:
  bool wait_readable() const;
  // Reads `to` in pieces, each on one thread, and returns how many bytes were read before the first
  // incomplete piece.
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
  std::vector<char> whole_;           // whether each piece was read completely
};

// Returns the number of threads for read_by() of frames: one per CPU, at most 16. Encoders want
// these CPUs as well, but wait for the data.
int threads_that_read();

// Syncs as fsync(2) does; it is no failure where the descriptor cannot be synced, as for pipes and
// on some file systems.
bool sync_to_disk(int fd);

// Writes in order. Throws Error(output), also where the reader of a pipe has gone away. All but
// cancel() belong to one thread.
class ByteWriter {
 public:
  // Does not close `fd`. Ignores SIGPIPE from now on, for the whole process.
  ByteWriter(int fd, std::string name);
  // Writes to an address, which heeds interruptions by itself.
  explicit ByteWriter(std::unique_ptr<AddressWriter> address);
  ~ByteWriter();
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  // Makes a write that waits for the reader of a pipe throw, now and from now on. Thread-safe.
  void cancel();
  // Makes a waiting write throw when `interrupted` has been true for a second, unless the reader
  // takes something meanwhile: the rest should still get out, but nobody waits for ever.
  // `interrupted` outlives this object.
  void heed(const std::atomic<bool>* interrupted) { interrupted_ = interrupted; }

  void write(std::string_view bytes);
  // Writes the visible samples, packed without gaps, without copying them first.
  void write_picture(const Frame& frame);
  std::int64_t bytes() const { return bytes_; }  // written so far
  // Blocks until all of it is on the disk, or sent. Must be the last call.
  void sync();

  // Work on a file as lseek(2) and pread(2) do, and return their -1 and errno.
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
  const std::unique_ptr<AddressWriter> address_;  // instead of a descriptor; may be null
  std::vector<iovec> parts_;
  std::int64_t bytes_ = 0;
};

}  // namespace vidconv
