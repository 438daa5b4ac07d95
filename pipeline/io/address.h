// Opens addresses: lists what FFmpeg opens for one, and writes an output to one.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pipeline/av/av.h"
#include "pipeline/base/stopwatch.h"

namespace vidconv {

// Returns the protocols that an address with that scheme may lead to, its own first: "rtmp,tcp".
std::string protocols_of(std::string_view scheme);

// Has servers' certificates checked, unless `insecure`, and finds the authorities where libraries
// do not know them.
void check_certificates(AVDictionary** options, bool insecure);

// Return whether outputs can go to a scheme, and which ones they can: "udp, tcp, ...".
bool takes_output(std::string_view scheme);
std::string output_schemes();

struct AddressOptions {
  bool insecure = false;  // servers' certificates are not checked
  int packet_bytes = 0;   // per datagram, if the address does not say; 0: the protocol's own
  // As ByteWriter::heed(), but interrupts the wait for a connection at once. May be null; outlives
  // the writer.
  const std::atomic<bool>* interrupted = nullptr;
};

// Writes a stream of bytes to an address. All but cancel() belong to one thread. Throws
// Error(output), Error(output_closed) where the other end has gone away.
class AddressWriter {
 public:
  // Connects, or waits for a connection, as the address says. Blocks.
  AddressWriter(std::string url, const AddressOptions& options);
  ~AddressWriter();
  AddressWriter(const AddressWriter&) = delete;
  AddressWriter& operator=(const AddressWriter&) = delete;

  // Blocks until all of it is on its way. Where the protocol has datagrams, one ends here.
  void write(std::span<const iovec> parts);
  // Closes the connection as the protocol demands.
  void finish();
  // Makes a blocked write throw, now and from now on. Thread-safe.
  void cancel() { cancelled_ = true; }

 private:
  static int wants_to_stop(void* self) noexcept;
  void check(int code) const;

  const std::string url_;
  const std::string name_;  // for messages
  const std::atomic<bool>* const interrupted_;
  std::optional<Clock::time_point> interrupted_since_;
  std::atomic<bool> cancelled_ = false;
  bool connected_ = false;
  AVIOContext* io_ = nullptr;
};

}  // namespace vidconv
