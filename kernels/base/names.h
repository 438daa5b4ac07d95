// Names as people write them: in any case, and sometimes misspelt.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

// Whether both names are equal but for the case of letters.
bool same_name(std::string_view a, std::string_view b);

// Returns the row of `table` with this name, in any case; nullptr where there is none.
template <class Table, class Name>
auto row_named(const Table& table, std::string_view name, Name&& name_of) {
  const auto row = std::ranges::find_if(
      table, [&](const auto& r) { return same_name(std::invoke(name_of, r), name); });
  return row == std::end(table) ? nullptr : &*row;
}

// Returns " (did you mean 'gaussian' or 'box'?)" with up to three of `names` that `word` is a typo
// of or another word for; empty where there are none.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace vidconv
