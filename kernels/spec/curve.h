// ValueCurve: a parameter whose value changes with time, "0..8@10-20".
#pragma once

#include <cstdint>
#include <vector>

namespace vidconv {

// How a value goes from one key to the next.
enum class Ease : std::uint8_t {
  linear,
  in,      // slowly at first: the square of the way
  out,     // slowly at last
  in_out,  // the first half as in, the second as out
  hold,    // not at all, and then at once
};

// A curve takes one of count() values, so that filters for each can be made ahead. They go in equal
// steps from the smallest key to the largest, or in whole numbers where the parameter takes nothing
// else. The rounding is at most half of a 256th of the curve's range.
class ValueCurve {
 public:
  static constexpr int most_steps = 256;

  struct Key {
    std::int64_t at;  // microseconds since the input's beginning, or the number of a frame
    double value;
  };

  // `keys` must hold at least one, in order of `at`, all different. Before the first and after the
  // last key the value is theirs.
  ValueCurve(std::vector<Key> keys, bool of_frames, bool whole);

  void set_ease(Ease ease) { ease_ = ease; }
  bool of_frames() const { return of_frames_; }
  int count() const { return count_; }
  double value(int n) const;  // n in [0, count())
  // Returns the index of its value at that moment.
  int at(std::int64_t moment) const;
  // Adds every moment at which its value changes.
  void add_changes(std::vector<std::int64_t>& moments) const;

 private:
  double exact(std::size_t key, std::int64_t moment) const;
  int nearest(double value) const;

  std::vector<Key> keys_;
  bool of_frames_;
  Ease ease_ = Ease::linear;
  double lowest_, highest_, step_ = 0;
  int count_ = 1;
};

}  // namespace vidconv
