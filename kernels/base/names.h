// Names as people write them: in any case, and sometimes wrong.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace vidconv {

// The same but for the case of letters.
bool same_name(std::string_view a, std::string_view b);

// The row of `table` whose name it is, in any case; nullptr where there is none.
template <class Table, class Name>
auto row_named(const Table& table, std::string_view name, Name&& name_of) {
  const auto row = std::ranges::find_if(
      table, [&](const auto& r) { return same_name(std::invoke(name_of, r), name); });
  return row == std::end(table) ? nullptr : &*row;
}

// " (did you mean 'gaussian' or 'box'?)": those of `names` that `word` is a slip of the pen or
// another word for; empty where it is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace vidconv
