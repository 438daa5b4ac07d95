// The order in which the tensor cores' operands and sums go through a lane's registers: defined
// once, for the device, which loads and stores in it, and for the host, which lays out the taps to
// match.
//
// Lane 4 * g + q holds the elements that imma.cuh lists. Operand row k of B is byte k % 4 of the
// register that lane q = k % 16 / 4 has for chunk k / 16.
#pragma once

namespace vidconv::cuda {

// Returns how far behind the start of a window of `chunks` * 16 samples the 4 lie that lane q has
// for chunk c: side by side for each pair of chunks, so that one load of 8 bytes brings them.
constexpr int chunk_offset(int c, int q, int chunks) {
  const bool single = c == chunks - 1 && chunks % 2 == 1;
  return single ? 16 * c + 4 * q : 32 * (c / 2) + 8 * q + 4 * (c % 2);
}
// Returns where operand row k lies in such a window.
constexpr int window_slot(int k, int chunks) {
  return chunk_offset(k / 16, k % 16 / 4, chunks) + k % 4;
}

// Returns which of the 16 rows of sums between the passes is byte b of lane q's register: the sums'
// columns are 2q and 2q + 1, first of the upper 8 rows, then of the lower.
constexpr int between_row(int q, int b) { return 8 * (b / 2) + 2 * q + b % 2; }
// Returns where operand row k of the column pass lies in its window of rows.
constexpr int between_slot(int k) { return k / 16 * 16 + between_row(k % 16 / 4, k % 4); }

// Selectors for __byte_perm() that bring bytes into that order: first the wanted bytes of two sums,
// their lower ones first, `skipped` whole bytes up; then the lower and the upper bytes of the upper
// rows and of the lower.
constexpr unsigned bytes_of_sums(int skipped) { return skipped == 1 ? 0x6251 : 0x5140; }
inline constexpr unsigned lower_bytes = 0x5410, upper_bytes = 0x7632;

// Returns which output m of the row pass is byte b of a stored word. The column pass gives a lane 4
// sums of the left half of columns and 4 of the right one, 2 each in a row. Stored side by side as
// 4 codes, byte b is from half b / 2 and from that half's column 2q + b % 2.
constexpr int stored_output(int q, int b) { return 8 * (b / 2) + 2 * q + b % 2; }
// Returns output m's column among the 16 of a warp, 4 for each q: the inverse.
constexpr int output_column(int m) { return m % 8 / 2 * 4 + m / 8 * 2 + m % 2; }

// Compile-time proofs that the orders match.
namespace proof {

// Returns whether slot() permutes 0 to count - 1.
template <class Slot>
constexpr bool is_permutation(int count, Slot slot) {
  bool seen[16 * 6] = {};
  for (int k = 0; k < count; ++k) {
    if (slot(k) < 0 || slot(k) >= count || seen[slot(k)]) return false;
    seen[slot(k)] = true;
  }
  return true;
}

constexpr bool windows_are_whole() {
  for (int chunks = 1; chunks <= 6; ++chunks)
    if (!is_permutation(16 * chunks, [=](int k) { return window_slot(k, chunks); })) return false;
  return is_permutation(64, between_slot);
}

// Returns whether 8 aligned bytes are the registers of two chunks, as load_window() requires.
constexpr bool pairs_lie_side_by_side() {
  for (int chunks = 2; chunks <= 6; ++chunks)
    for (int q = 0; q < 4; ++q)
      for (int c = 0; c + 1 < chunks; c += 2)
        if (chunk_offset(c, q, chunks) % 8 != 0 ||
            chunk_offset(c + 1, q, chunks) != chunk_offset(c, q, chunks) + 4)
          return false;
  return true;
}

// Returns which byte __byte_perm(x, y, selector) puts at byte n: 0 to 3 are x's, 4 to 7 are y's.
constexpr int taken(unsigned selector, int n) { return static_cast<int>(selector >> (4 * n) & 7); }

// Returns whether each byte b of a register from split() comes from the right byte of the right
// sum.
constexpr bool split_follows(unsigned selector, int byte_of_sum) {
  for (int skipped = 0; skipped < 2; ++skipped)
    for (int q = 0; q < 4; ++q)
      for (int b = 0; b < 4; ++b) {
        const int from = taken(selector, b);
        const int of_sums = taken(bytes_of_sums(skipped), from % 4);
        if (8 * (from / 4) + 2 * q + of_sums / 4 != between_row(q, b) ||
            of_sums % 4 != skipped + byte_of_sum)
          return false;
      }
  return true;
}

constexpr bool outputs_come_back() {
  for (int q = 0; q < 4; ++q)
    for (int b = 0; b < 4; ++b)
      if (output_column(stored_output(q, b)) != 4 * q + b) return false;
  return is_permutation(16, output_column);
}

static_assert(windows_are_whole() && pairs_lie_side_by_side());
static_assert(split_follows(lower_bytes, 0) && split_follows(upper_bytes, 1));
static_assert(outputs_come_back());

}  // namespace proof
}  // namespace vidconv::cuda
