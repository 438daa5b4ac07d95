#include "pipeline/io/address.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "pipeline/av/av_log.h"
#include "pipeline/base/error.h"
#include "pipeline/base/url.h"
#include "pipeline/platform/process.h"

namespace vidconv {
namespace {

// Lists the protocols that FFmpeg opens below those of addresses.
struct Layers {
  std::string_view scheme, below;
};
constexpr Layers layers[] = {
    {"http", "https,tls,tcp,httpproxy,crypto,data"},
    {"https", "tls,tcp,httpproxy,crypto,data"},
    {"tls", "tcp,httpproxy"},
    {"rtsp", "rtp,srtp,udp,tcp"},
    {"rtsps", "rtp,srtp,udp,tls,tcp,httpproxy"},
    {"satip", "rtp,udp,tcp"},
    {"rtp", "srtp,udp"},
    {"sap", "rtp,udp"},
    {"rtmp", "tcp"},
    {"rtmps", "tls,tcp,httpproxy"},
    {"rtmpe", "ffrtmpcrypt,tcp"},
    {"rtmpt", "ffrtmphttp,http,tcp,httpproxy"},
    {"rtmpte", "ffrtmpcrypt,ffrtmphttp,http,tcp,httpproxy"},
    {"rtmpts", "ffrtmphttp,https,tls,tcp,httpproxy"},
    {"mmsh", "http,tcp,httpproxy"},
    {"mmst", "tcp"},
    {"ftp", "tcp"},
    {"gopher", "tcp"},
    {"gophers", "tls,tcp,httpproxy"},
};

// Returns where certificate authorities are kept, for libraries that do not know; empty where
// nothing is found.
std::string authorities() {
  const char* named = std::getenv("SSL_CERT_FILE");  // OpenSSL's variable
  for (const char* path : {named, "/etc/ssl/certs/ca-certificates.crt",
                           "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"})
    if (path && access(path, R_OK) == 0) return path;
  return {};
}

// Outputs can go to these protocols, which need nothing but the stream's bytes.
constexpr std::string_view sent_to[] = {"udp",  "tcp",   "tls",   "srt",   "rtp",   "rist",
                                        "rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpts"};

// Seconds that the other end may be silent after an interruption.
constexpr double silence_after_interruption = 1;

// Returns whether this FFmpeg was built with the protocol.
bool is_built_in(std::string_view scheme) {
  void* at = nullptr;
  while (const char* name = avio_enum_protocols(&at, 1))
    if (scheme == name) return true;
  return false;
}

}  // namespace

std::string protocols_of(std::string_view scheme) {
  std::string all(scheme);
  const auto row = std::ranges::find(layers, scheme, &Layers::scheme);
  if (row != std::end(layers)) all.append(",").append(row->below);
  return all;
}

void check_certificates(AVDictionary** options, bool insecure) {
  av_dict_set(options, "tls_verify", insecure ? "0" : "1", 0);  // the default is 0 before FFmpeg 9
  if (insecure) return;
  if (const std::string file = authorities(); !file.empty())
    av_dict_set(options, "ca_file", file.c_str(), 0);
}

bool takes_output(std::string_view scheme) {
  return std::ranges::find(sent_to, scheme) != std::end(sent_to);
}

std::string output_schemes() {
  std::string all;
  for (const std::string_view scheme : sent_to) all.append(all.empty() ? "" : ", ").append(scheme);
  return all;
}

AddressWriter::AddressWriter(std::string url, const AddressOptions& options)
    : url_(std::move(url)), name_(redacted(url_)), interrupted_(options.interrupted) {
  const std::string_view scheme = scheme_of(url_);
  constexpr const char* what = "cannot write to";
  if (!takes_output(scheme))
    throw Error(MessageKind::output_unsuited, what, name_,
                "a stream cannot be sent by " + std::string(scheme),
                "these can: " + output_schemes());
  if (!is_built_in(scheme))
    throw Error(MessageKind::output_unsuited, what, name_,
                "this FFmpeg has no " + std::string(scheme),
                "-o - --format NAME writes into a program that has it");
  ignore_broken_pipes();
  AVDictionary* with = nullptr;
  av_dict_set(&with, "protocol_whitelist", protocols_of(scheme).c_str(), 0);
  if (options.packet_bytes > 0 && url_.find("pkt_size=") == url_.npos)
    av_dict_set_int(&with, "pkt_size", options.packet_bytes, 0);
  check_certificates(&with, options.insecure);
  const AVIOInterruptCB stop{wants_to_stop, this};
  const AvLines said;
  const int code = avio_open2(&io_, url_.c_str(), AVIO_FLAG_WRITE, &stop, &with);
  av_dict_free(&with);
  if (code == AVERROR_EXIT)
    throw Error(Fault::output, what, name_, "it was interrupted before anybody was there");
  check_av(code, Fault::output, what, name_);
  connected_ = true;
}

AddressWriter::~AddressWriter() { avio_closep(&io_); }

int AddressWriter::wants_to_stop(void* opaque) noexcept {
  AddressWriter& self = *static_cast<AddressWriter*>(opaque);
  if (self.cancelled_) return 1;
  if (!self.interrupted_ || !*self.interrupted_) return 0;
  if (!self.connected_) return 1;
  if (!self.interrupted_since_) self.interrupted_since_ = Clock::now();
  return seconds_since(*self.interrupted_since_) > silence_after_interruption ? 1 : 0;
}

void AddressWriter::check(int code) const {
  if (code >= 0) return;
  if (code == AVERROR(EPIPE) || code == AVERROR(ECONNRESET) || code == AVERROR_EOF)
    throw Error(MessageKind::output_closed, "cannot write to", name_,
                "the other end has closed it");
  if (code == AVERROR_EXIT)
    throw Error(Fault::output, "cannot write to", name_,
                cancelled_ ? "it was cancelled" : "it was interrupted, and nobody reads it");
  check_av(code, Fault::output, "cannot write to", name_);
}

void AddressWriter::write(std::span<const iovec> parts) {
  constexpr std::size_t most = 1 << 20;  // libavformat counts in int
  for (const iovec& part : parts) {
    const auto* bytes = static_cast<const unsigned char*>(part.iov_base);
    for (std::size_t at = 0; at < part.iov_len; at += most)
      avio_write(io_, bytes + at, static_cast<int>(std::min(most, part.iov_len - at)));
    check(io_->error);
  }
  avio_flush(io_);
  check(io_->error);
}

void AddressWriter::finish() {
  avio_flush(io_);
  check(io_->error);
  check(avio_closep(&io_));
}

}  // namespace vidconv
