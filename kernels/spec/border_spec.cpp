#include "kernels/spec/border_spec.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"

namespace vidconv {

std::string border_words() {
  std::string words;
  for (const BorderName& border : border_modes)
    if (border.mode != BorderMode::constant) words += fmt::format("{}|", border.name);
  return words + "zero|constant:V";
}

Border parse_border(const std::string& text) {
  if (same_name(text, "zero")) return {BorderMode::constant, 0};
  constexpr std::string_view constant = "constant:";
  if (same_name(text.substr(0, constant.size()), constant)) {
    if (const auto level = number_of<double>(text.substr(constant.size()), 0, 1))
      return {BorderMode::constant, *level};
    throw BorderError("the level is not a number from 0 to 1", "e.g. constant:0.5");
  }
  if (same_name(text, "constant"))
    throw BorderError("it has no level, from 0 (black) to 1 (white)", "e.g. constant:0.5");
  const BorderName* border = row_named(border_modes, text, &BorderName::name);
  if (border && border->mode != BorderMode::constant) return {border->mode, 0};
  std::vector<std::string_view> names{"zero", "constant:V"};
  for (const BorderName& mode : border_modes) names.push_back(mode.name);
  throw BorderError("no such border mode" + did_you_mean(text, names), "use " + border_words());
}

}  // namespace vidconv
