// Parameter sets of H.265 get other numbers, and slices name them.
#include "pipeline/unchanged/hevc_numbers.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace vidconv::test {
namespace {

using Unit = std::vector<std::uint8_t>;

Unit renumbered(const Unit& unit) {
  const std::string text = HevcNumbers({0}).renumbered(unit);
  return {text.begin(), text.end()};
}

TEST(HevcNumbers, SlicesGrowByOneByte) {
  // First slice of a key picture: set 0, then five bits, and bytes that follow. The set is 15 now.
  EXPECT_EQ(renumbered({0x26, 1, 0b10111010, 7, 8}), (Unit{0x26, 1, 0b10000010, 0b00011010, 7, 8}));
  // Other pictures have one bit less before the set's number.
  EXPECT_EQ(renumbered({0x02, 1, 0b11111010, 7, 8}), (Unit{0x02, 1, 0b10000100, 0b00111010, 7, 8}));
}

TEST(HevcNumbers, StartCodesAreKeptApart) {
  EXPECT_EQ(renumbered({0x02, 1, 0b11000000, 0, 1, 9}), (Unit{0x02, 1, 0b10000100, 0, 0, 3, 1, 9}));
  EXPECT_EQ(renumbered({0x02, 1, 0b11111010, 0, 0, 3, 1, 9}),
            (Unit{0x02, 1, 0b10000100, 0b00111010, 0, 0, 3, 1, 9}));
}

TEST(HevcNumbers, SetsNameEachOther) {
  std::set<unsigned> numbers;
  // Sets for all layers, for sequences (behind twelve bytes of profile and level) and for pictures.
  const Unit video{0x40, 1, 0x0c, 1},
      sequence{0x42, 1, 1, 1, 0x60, 0, 0, 3, 0, 0x90, 0, 0, 3, 0, 0, 3, 0, 60, 0xa0, 2, 0x80},
      picture{0x44, 1, 0xc1, 0x72};
  for (const Unit& unit : {video, sequence, picture}) {
    Unit with_code{0, 0, 1};
    const Unit changed = renumbered(unit);
    with_code.insert(with_code.end(), changed.begin(), changed.end());
    numbers.clear();
    add_sets_of_hevc(with_code, 0, numbers);
    const bool of_pictures = unit[0] == picture[0];
    EXPECT_EQ(numbers, of_pictures ? (std::set<unsigned>{1, 15}) : (std::set<unsigned>{1}));
  }
  const Unit end{0x46, 1, 0x50};
  EXPECT_EQ(renumbered(end), end) << "another unit";
}

TEST(HevcNumbers, AreFree) {
  std::set<unsigned> taken;
  for (unsigned i = 0; i < 15; ++i) taken.insert(i);
  EXPECT_NO_THROW(HevcNumbers{taken});
  taken.insert(15);
  EXPECT_THROW(HevcNumbers{taken}, Error) << "sequences have sixteen";
  EXPECT_THROW(HevcNumbers({0}).renumbered(Unit{0x02, 1, 0b10101010, 7}), Error) << "set 1";
}

}  // namespace
}  // namespace vidconv::test
