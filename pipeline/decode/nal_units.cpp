#include "pipeline/decode/nal_units.h"

#include <algorithm>

namespace vidconv {
namespace {

// The place of the next 0 0 1 from `at` on; the end where there is none.
std::size_t start_code(CodedBytes data, std::size_t at) {
  for (; at + 3 <= data.size(); ++at)
    if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1) return at;
  return data.size();
}

}  // namespace

int nal_length_size(const AVCodecParameters& video) {
  const std::size_t place = video.codec_id == AV_CODEC_ID_HEVC ? 21 : 4;
  const CodedBytes header(video.extradata, static_cast<std::size_t>(video.extradata_size));
  // Both records begin with a version, which is 1; start codes begin with 0.
  return header.size() > place && header[0] == 1 ? (header[place] & 3) + 1 : 0;
}

bool each_nal_unit(CodedBytes packet, int length_size, const std::function<void(CodedBytes)>& see) {
  if (length_size == 0) {
    std::size_t at = start_code(packet, 0);
    while (at < packet.size()) {
      const std::size_t next = start_code(packet, at + 3);
      std::size_t end = next;
      while (end > at + 3 && packet[end - 1] == 0) --end;  // zeros belong to the next start code
      if (end > at + 3) see(packet.subspan(at + 3, end - at - 3));
      at = next;
    }
    return true;
  }
  const auto size = static_cast<std::size_t>(length_size);
  while (!packet.empty()) {
    if (packet.size() < size) return false;
    std::size_t length = 0;
    for (std::size_t i = 0; i < size; ++i) length = length << 8 | packet[i];
    packet = packet.subspan(size);
    if (length > packet.size()) return false;
    if (length > 0) see(packet.first(length));
    packet = packet.subspan(length);
  }
  return true;
}

std::string with_lengths(CodedBytes annex_b, int length_size) {
  std::string units;
  each_nal_unit(annex_b, 0, [&](CodedBytes nal) {
    for (int i = length_size; i-- > 0;) units += static_cast<char>(nal.size() >> (8 * i));
    units.append(nal.begin(), nal.end());
  });
  return units;
}

NalBits::NalBits(CodedBytes nal, std::size_t skip) {
  constexpr std::size_t enough = 64;  // no number that is wanted lies further behind
  for (std::size_t i = skip; i < std::min(nal.size(), skip + enough); ++i)
    if (i < skip + 2 || nal[i] != 3 || nal[i - 1] != 0 || nal[i - 2] != 0)
      bytes_ += static_cast<char>(nal[i]);
}

unsigned NalBits::bit() {
  const std::size_t place = at_++;
  return place / 8 < bytes_.size()
             ? static_cast<unsigned char>(bytes_[place / 8]) >> (7 - place % 8) & 1U
             : 0;
}

unsigned NalBits::number(int bits) {
  unsigned value = 0;
  for (int i = 0; i < bits; ++i) value = value << 1 | bit();
  return value;
}

unsigned NalBits::golomb() {
  constexpr int most = 31;
  int zeros = 0;
  while (zeros < most && at_ / 8 < bytes_.size() && bit() == 0) ++zeros;
  return (1U << zeros | number(zeros)) - 1;
}

}  // namespace vidconv
