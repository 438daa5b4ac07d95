// Addresses: what FFmpeg opens for one, and an output that is one.
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

// The protocols that an address of that scheme may lead to, its own first: "rtmp,tcp".
std::string protocols_of(std::string_view scheme);

// Has the certificates of servers checked, by authorities that are found where libraries do not
// know them; or not, with `insecure`.
void check_certificates(AVDictionary** options, bool insecure);

// Whether a scheme is one that outputs can go to, and which they are: "udp, tcp, ...".
bool takes_output(std::string_view scheme);
std::string output_schemes();

struct AddressOptions {
  bool insecure = false;  // certificates of servers are not checked
  int packet_bytes = 0;   // of a datagram where the address does not say; 0: the protocol's own
  // As ByteWriter::heed(), but that nobody is waited for before the connection is there. May be
  // null; outlives the writer.
  const std::atomic<bool>* interrupted = nullptr;
};

// A stream of bytes to an address. All but cancel() belong to one thread. Throws Error(output),
// Error(output_closed) where the other end has gone.
class AddressWriter {
 public:
  // Connects, or waits for whoever connects, as the address says.
  AddressWriter(std::string url, const AddressOptions& options);
  ~AddressWriter();
  AddressWriter(const AddressWriter&) = delete;
  AddressWriter& operator=(const AddressWriter&) = delete;

  // Returns when all of it is on its way; what is datagrams ends one here.
  void write(std::span<const iovec> parts);
  // Says goodbye where the protocol does so.
  void finish();
  // Makes a write that waits throw, now and from now on. Any thread.
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
