// Values over time from words: "0..8@10-20", or a file of keys.
#pragma once

#include <string>
#include <string_view>

#include "kernels/spec/curve.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// What values are allowed.
struct ValueRange {
  double min, max;
  bool whole;  // whole numbers only
};

double read_value(Cursor& c, std::string_view name, const ValueRange& range);

// What follows "A": "..B@FROM-TO", two times or two numbers of frames. Throws SpecError.
ValueCurve read_ramp(Cursor& c, double from, std::string_view name, const ValueRange& range);

// Lines "TIME VALUE" or "fNUMBER VALUE", in order; # begins a comment, empty lines are skipped.
// Throws SpecError, whose text is the line.
ValueCurve read_keys(std::string_view bytes, const std::string& file, std::string_view name,
                     const ValueRange& range);

// "linear", "in", "out", "in-out" or "hold".
Ease read_ease(Cursor& c);
std::string_view ease_words();  // all of them, with '|' between

}  // namespace vidconv
