// Reads values over time from text: "0..8@10-20", or a file of keys.
#pragma once

#include <string>
#include <string_view>

#include "kernels/spec/curve.h"
#include "kernels/spec/spec_text.h"

namespace vidconv {

// The values that a parameter may have.
struct ValueRange {
  double min, max;
  bool whole;  // whole numbers only
};

double read_value(Cursor& c, std::string_view name, const ValueRange& range);

// Reads "..B@FROM-TO", which follows the value A; FROM and TO are two times or two numbers of
// frames. Throws SpecError.
ValueCurve read_ramp(Cursor& c, double from, std::string_view name, const ValueRange& range);

// Reads lines "TIME VALUE" or "fNUMBER VALUE", in order; # begins a comment, empty lines are
// skipped. Throws SpecError, whose text is the line.
ValueCurve read_keys(std::string_view bytes, const std::string& file, std::string_view name,
                     const ValueRange& range);

// Reads "linear", "in", "out", "in-out" or "hold".
Ease read_ease(Cursor& c);
std::string_view ease_words();  // all of them, separated by '|'

}  // namespace vidconv
