#include "pipeline/unchanged/hevc_numbers.h"

#include <functional>
#include <string_view>

namespace vidconv {
namespace {

// Kinds of units (H.265, table 7-1).
constexpr unsigned last_slice = 31, first_refresh = 16, last_refresh = 23;
constexpr unsigned video_set = 32, sequence_set = 33, picture_set = 34;
constexpr std::size_t unit_header = 2;

unsigned unit_kind(CodedBytes nal) { return nal[0] >> 1U & 63U; }

enum class Numbered : bool { sequences, pictures };
// Returns the number that takes the place of another.
using Renumber = std::function<unsigned(Numbered, unsigned)>;

// Copies a unit's bits, some of them changed.
class UnitCopy {
 public:
  explicit UnitCopy(CodedBytes nal) {
    int zeros = 0;
    for (const std::uint8_t byte : nal) {
      const bool kept_apart = zeros >= 2 && byte == 3;
      zeros = byte == 0 ? zeros + 1 : 0;
      if (!kept_apart) from_ += static_cast<char>(byte);
    }
  }

  unsigned copy(int bits) {
    unsigned value = 0;
    for (int i = 0; i < bits; ++i) {
      const unsigned one = bit();
      value = value << 1U | one;
      put(one);
    }
    return value;
  }
  void replace_bits(int bits, const std::function<unsigned(unsigned)>& number) {
    unsigned old = 0;
    for (int i = 0; i < bits; ++i) old = old << 1U | bit();
    put_bits(number(old), bits);
  }
  // A code of variable length (9.2).
  void replace_golomb(const std::function<unsigned(unsigned)>& number) {
    int zeros = 0;
    while (zeros < most_zeros && at_ / 8 < from_.size() && bit() == 0) ++zeros;
    unsigned old = 1;
    for (int i = 0; i < zeros; ++i) old = old << 1U | bit();
    const unsigned code = number(old - 1) + 1;
    int length = 0;
    while (code >> static_cast<unsigned>(length) > 1) ++length;
    put_bits(0, length);
    put_bits(code, length + 1);
  }

  // Copies the rest of a parameter set, whose last bit that is set ends it.
  void copy_to_last_bit() {
    while (at_ / 8 < from_.size()) put(bit());
    while (to_.ends_with('\0')) to_.pop_back();
  }
  // Copies the rest, which is moved by whole bytes.
  void copy_bytes() {
    while (at_ % 8 != 0) put(bit());
    to_ += std::string_view(from_).substr(at_ / 8);
  }

  // Keeps start codes from appearing (7.4.2).
  std::string unit() const {
    std::string all;
    all.reserve(to_.size());
    int zeros = 0;
    for (const char byte : to_) {
      if (zeros >= 2 && static_cast<unsigned char>(byte) <= 3) {
        all += '\3';
        zeros = 0;
      }
      zeros = byte == 0 ? zeros + 1 : 0;
      all += byte;
    }
    return all;
  }

 private:
  static constexpr int most_zeros = 31;

  unsigned bit() {
    const std::size_t place = at_++;
    return place / 8 < from_.size()
               ? static_cast<unsigned char>(from_[place / 8]) >> (7 - place % 8) & 1U
               : 0;
  }
  void put(unsigned bit) {
    if (put_ % 8 == 0) to_ += '\0';
    if (bit != 0) to_.back() = static_cast<char>(to_.back() | 1 << (7 - put_ % 8));
    ++put_;
  }
  void put_bits(unsigned value, int bits) {
    while (bits-- > 0) put(value >> static_cast<unsigned>(bits) & 1U);
  }

  std::string from_, to_;  // without the bytes that keep start codes from appearing
  std::size_t at_ = 0, put_ = 0;
};

// Passes by what a sequence set says of profiles and levels (7.3.3).
void copy_profiles(UnitCopy& unit, unsigned sub_layers) {
  constexpr int profile = 88, level = 8, most_sub_layers = 8;
  unit.copy(profile);
  unit.copy(level);
  if (sub_layers == 0) return;
  int more = 0;
  for (unsigned i = 0; i < most_sub_layers; ++i) {
    const unsigned has = unit.copy(2);
    more += (has & 2U ? profile : 0) + (has & 1U ? level : 0);
  }
  unit.copy(more);
}

// Returns a parameter set or a slice with other numbers, and every other unit as it is.
std::string with_numbers(CodedBytes nal, const Renumber& renumber) {
  const unsigned kind = unit_kind(nal);
  if (nal.size() <= unit_header || kind > picture_set) return {nal.begin(), nal.end()};
  const auto sequence = [&](unsigned old) { return renumber(Numbered::sequences, old); };
  const auto picture = [&](unsigned old) { return renumber(Numbered::pictures, old); };
  UnitCopy unit(nal);
  unit.copy(8 * unit_header);
  if (kind <= last_slice) {
    unit.copy(kind >= first_refresh && kind <= last_refresh ? 2 : 1);
    unit.replace_golomb(picture);
    unit.copy_bytes();
    return unit.unit();
  }
  if (kind == picture_set) {
    unit.replace_golomb(picture);
    unit.replace_golomb(sequence);
  } else {
    unit.replace_bits(4, sequence);
  }
  if (kind == sequence_set) {
    const unsigned sub_layers = unit.copy(3);
    unit.copy(1);
    copy_profiles(unit, sub_layers);
    unit.replace_golomb(sequence);
  }
  unit.copy_to_last_bit();
  return unit.unit();
}

unsigned free_number(const std::set<unsigned>& taken, unsigned least, unsigned most) {
  for (unsigned number = least; number <= most; ++number)
    if (!taken.contains(number)) return number;
  throw Error(Fault::output, "cannot go on in the stream of", "the input",
              "no number of a parameter set is free");
}

}  // namespace

void add_sets_of_hevc(CodedBytes units, int nal_lengths, std::set<unsigned>& numbers) {
  each_nal_unit(units, nal_lengths, [&](CodedBytes nal) {
    if (unit_kind(nal) < video_set || unit_kind(nal) > picture_set) return;
    with_numbers(nal, [&](Numbered, unsigned number) {
      numbers.insert(number);
      return number;
    });
  });
}

// The picture set's number takes eight bits more than 0 does. So what follows it in a slice moves
// by a byte, and all that is aligned stays so.
HevcNumbers::HevcNumbers(const std::set<unsigned>& taken)
    : sequence_(free_number(taken, 1, 15)), picture_(free_number(taken, 15, 30)) {}

std::string HevcNumbers::renumbered(CodedBytes nal) const {
  return with_numbers(nal, [this](Numbered kind, unsigned old) {
    if (old != 0)
      throw Error(Fault::output, "cannot go on in the stream of", "the input",
                  "the encoder numbers its parameter sets itself");
    return kind == Numbered::sequences ? sequence_ : picture_;
  });
}

}  // namespace vidconv
