// Filters as other programs name them: a specification that is none here, and what to type instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vidconv {

struct Misspelt {
  std::string message, remedy;
};

// For a specification that does not begin with a filter's name: a bare matrix, several filters in
// one, parameters in another program's way, or what is no convolution. None where it is something
// else. Settings in the remedy stand in backticks.
std::optional<Misspelt> misspelt_filter(std::string_view spec);

// Whether all of it is one decimal number.
bool is_number(std::string_view word);

}  // namespace vidconv
