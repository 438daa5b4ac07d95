// Recognises filters as other programs name them, and says what to type instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vidconv {

struct Misspelt {
  std::string message, remedy;
};

// Looks at a specification that does not begin with a filter's name: a bare matrix, several filters
// in one, parameters in another program's way, or an operation that is no convolution. Returns
// nothing for anything else. Settings in the remedy stand in backticks.
std::optional<Misspelt> misspelt_filter(std::string_view spec);

// Whether the whole word is one decimal number.
bool is_number(std::string_view word);

}  // namespace vidconv
