#include "pipeline/cluster/shard_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pipeline/base/error.h"
#include "pipeline/io/digest.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_part(const std::string& path, const std::string& why) {
  throw Error(MessageKind::part, "the part cannot be joined", path, why,
              "encode it again, which 'vidconv shard' does where a part is not whole");
}

// Opens a file without waiting for a pipe's writer.
struct OpenFile {
  explicit OpenFile(const std::string& path)
      : fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd >= 0) close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int fd;
};

}  // namespace

std::vector<std::int64_t> times_of(const ShardLedger& ledger) {
  std::vector<std::int64_t> times;
  for (const PacketTimes& packet : ledger.packets) times.push_back(packet.pts);
  std::ranges::sort(times);
  return times;
}

void check_part(const std::string& path, const ShardLedger& ledger, bool all) {
  const OpenFile file(path);
  struct stat status;
  if (file.fd < 0 || fstat(file.fd, &status) != 0)
    refuse_part(path, errno == ENOENT ? "it is missing" : std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse_part(path, "it is no regular file");
  if (status.st_size != ledger.bytes || (all && digest_of_file(file.fd, path) != ledger.digest))
    refuse_part(path, "it is corrupt: its bytes are not those of its ledger");
}

PartReader::PartReader(const std::string& path, const ShardLedger& ledger)
    : path_(path), ledger_(ledger) {
  AVFormatContext* context = nullptr;
  const int code =
      avformat_open_input(&context, ("file:" + path).c_str(), av_find_input_format("nut"), nullptr);
  container_.reset(context);
  check_av(code, MessageKind::part, "cannot read the part", path);
  container_->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
}

PacketPtr PartReader::read() {
  PacketPtr packet = make_packet();
  if (at_ >= ledger_.packets.size() || av_read_frame(container_.get(), packet.get()) < 0)
    refuse_part(path_, "it has fewer packets than its ledger says");
  const PacketTimes& times = ledger_.packets[at_++];
  packet->pts = times.pts;
  packet->dts = times.dts;
  packet->duration = times.duration;
  packet->flags = times.flags;
  packet->pos = -1;
  return packet;
}

}  // namespace vidconv
