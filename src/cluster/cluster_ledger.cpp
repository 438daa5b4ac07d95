// Ledgers of parts as JSON, beside their parts.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pipeline/av/content_key.h"
#include "pipeline/base/printable.h"
#include "pipeline/bytes/byte_io.h"
#include "pipeline/bytes/partial_file.h"
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

// Returns the digest of all that the ledger says.
std::string own_digest_of(const Json& ledger) {
  ContentKey key;
  key.add("ledger", ledger.dump());
  return key.hex();
}

}  // namespace

std::string ledger_json(const PartLedger& ledger, std::size_t part) {
  Json all{{"schema", 1},
           {"part", part},
           {"key", ledger.key},
           {"bytes", ledger.bytes},
           {"digest", ledger.digest},
           {"header", to_hex(ledger.header)},
           {"frames", ledger.packets.size()},
           {"packets", Json::array()}};
  for (const PacketTimes& p : ledger.packets)
    all["packets"].push_back({p.pts, p.dts, p.duration, p.flags});
  all["own_digest"] = own_digest_of(all);
  return all.dump() + "\n";
}

PartLedger read_ledger(const std::string& path, const std::string& key) {
  PartLedger ledger;
  const std::string text = read_text(path, MessageKind::part);
  try {
    Json all = Json::parse(text);
    const std::string own = all.at("own_digest");
    all.erase("own_digest");
    if (own != own_digest_of(all)) throw std::runtime_error("it is not what was written");
    all.at("key").get_to(ledger.key);
    all.at("bytes").get_to(ledger.bytes);
    all.at("digest").get_to(ledger.digest);
    ledger.header = from_hex(all.at("header"));
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

std::string read_text(const std::string& path, MessageKind kind) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  char block[1 << 16];
  ssize_t count = fd < 0 ? -1 : 1;
  while (count > 0 && (count = read(fd, block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(count));
  const int error = errno;
  if (fd >= 0) close(fd);
  if (count < 0)
    throw Error(kind, "cannot read", path,
                error == ENOENT ? "there is no such file" : std::strerror(error));
  return text;
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
