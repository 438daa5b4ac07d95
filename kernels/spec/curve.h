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
  in_out,  // both, half the way each
  hold,    // not at all, and then at once
};

// Values are one of a few, so that what each of them takes can be made ahead: `count()` of them, in
// equal steps from the smallest key to the largest; whole numbers where the parameter takes nothing
// else. That rounding is at most half of a 256th of what the value goes through.
class ValueCurve {
 public:
  static constexpr int most_steps = 256;

  struct Key {
    std::int64_t at;  // microseconds since the input's beginning, or the number of a frame
    double value;
  };

  // `keys`: at least one, in order of `at`, which differ. Before the first and after the last the
  // value is theirs.
  ValueCurve(std::vector<Key> keys, bool of_frames, bool whole);

  void set_ease(Ease ease) { ease_ = ease; }
  bool of_frames() const { return of_frames_; }
  int count() const { return count_; }
  double value(int n) const;  // n in [0, count())
  // Which of the values it has then.
  int at(std::int64_t moment) const;
  // Adds every moment from which on it is another one than before.
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
