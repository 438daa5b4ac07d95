// Reads and writes the ledgers of shards: JSON files beside the shards.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pipeline/base/printable.h"
#include "pipeline/io/byte_io.h"
#include "pipeline/io/content_key.h"
#include "pipeline/io/digest.h"
#include "pipeline/io/partial_file.h"
#include "src/cluster/cluster_plan.h"

namespace vidconv {
namespace {

using Json = nlohmann::ordered_json;

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

// This holds a million packets, or shards.
constexpr std::size_t most_text = 64 << 20;

// Opens a file without waiting for a pipe's writer; a pipe or a device is refused.
struct RegularFile {
  RegularFile(const std::string& path, MessageKind kind)
      : fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
      throw Error(kind, "cannot read", path,
                  errno == ENOENT ? "there is no such file" : std::strerror(errno));
    if (S_ISREG(status.st_mode)) return;
    close(fd);
    throw Error(kind, "cannot read", path, "it is no regular file");
  }
  ~RegularFile() { close(fd); }
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  const int fd;
};

// Returns the digest of all that the ledger says.
std::string own_digest_of(const Json& ledger) {
  ContentKey key;
  key.add("ledger", ledger.dump());
  return key.hex();
}

}  // namespace

std::string ledger_json(const ShardLedger& ledger, std::size_t part) {
  Json all{{"schema", 1},
           {"part", part},
           {"key", ledger.key},
           {"bytes", ledger.bytes},
           {"digest", ledger.digest},
           {"header", to_hex(ledger.header)},
           {"frames", ledger.packets.size()},
           {"packets", Json::array()}};
  if (!ledger.audit.empty()) all["audit"] = ledger.audit;
  for (const PacketTimes& p : ledger.packets)
    all["packets"].push_back({p.pts, p.dts, p.duration, p.flags});
  all["own_digest"] = own_digest_of(all);
  return all.dump() + "\n";
}

ShardLedger read_ledger(const std::string& path, const std::string& key) {
  return parse_ledger(read_text(path, MessageKind::part), path, key);
}

ShardLedger parse_ledger(const std::string& text, const std::string& path, const std::string& key) {
  ShardLedger ledger;
  try {
    Json all = Json::parse(text);
    const std::string own = all.at("own_digest");
    all.erase("own_digest");
    if (own != own_digest_of(all)) throw std::runtime_error("it is not what was written");
    all.at("key").get_to(ledger.key);
    all.at("bytes").get_to(ledger.bytes);
    all.at("digest").get_to(ledger.digest);
    ledger.header = from_hex(all.at("header"));
    if (all.contains("audit")) all["audit"].get_to(ledger.audit);
    for (const Json& p : all.at("packets"))
      ledger.packets.push_back({p.at(0), p.at(1), p.at(2), p.at(3)});
  } catch (const std::exception& error) {
    throw Error(MessageKind::part, "the ledger of a part makes no sense", path,
                verbatim(error.what()), "encode the part again");
  }
  if (ledger.key != key)
    throw Error(MessageKind::part, "the ledger is of another part", path,
                "its key is " + ledger.key, "encode the part again");
  return ledger;
}

void check_audit(const std::string& path, const ShardLedger& ledger) {
  if (digest_of_regular(path, MessageKind::part) != ledger.audit)
    throw Error(MessageKind::part, "the audit of a part is not the one that was written", path,
                "its digest is another", "encode the part again");
}

bool is_there(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

std::string read_text(const std::string& path, MessageKind kind) {
  std::string text;
  read_regular(path, kind, [&](std::string_view block) {
    text += block;
    if (text.size() > most_text)
      throw Error(kind, "cannot read", path,
                  fmt::format("it is larger than {} MiB", most_text >> 20));
  });
  return text;
}

void read_regular(const std::string& path, MessageKind kind,
                  const std::function<void(std::string_view)>& take) {
  const RegularFile file(path, kind);
  char block[1 << 16];
  ssize_t count = 0;
  while ((count = read(file.fd, block, sizeof block)) > 0)
    take({block, static_cast<std::size_t>(count)});
  if (count < 0) throw Error(kind, "cannot read", path, std::strerror(errno));
}

std::string digest_of_regular(const std::string& path, MessageKind kind) {
  return digest_of_file(RegularFile(path, kind).fd, path);
}

void write_text(const std::string& path, const std::string& what, const std::string& text,
                bool look_for_leftovers) {
  PartialFile file(path, {.what = what,
                          .overwrite = true,
                          .files_only = true,
                          .look_for_leftovers = look_for_leftovers});
  ByteWriter(file.fd(), path).write(text);
  file.commit();
}

}  // namespace vidconv
