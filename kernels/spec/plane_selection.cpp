#include "kernels/spec/plane_selection.h"

#include <fmt/format.h>

#include <cctype>
#include <stdexcept>

#include "kernels/base/names.h"

namespace vidconv {
namespace {
constexpr std::string_view there_are = "use all, luma, chroma, or letters of YUV, RGB and A";
}

PlaneSelection PlaneSelection::parse(std::string_view text) {
  if (same_name(text, "all")) return {Mode::all, {}};
  if (same_name(text, "luma")) return {Mode::luma, {}};
  if (same_name(text, "chroma")) return {Mode::chroma, {}};
  PlaneSelection selection{Mode::list, {}};
  for (const char letter : text) {
    if (letter == ',') continue;
    const char name = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    if (std::string_view("YUVRGBA").find(name) == std::string_view::npos)
      throw std::invalid_argument(fmt::format("'{}' names no planes{}; {}", text,
                                              did_you_mean(text, {"all", "luma", "chroma"}),
                                              there_are));
    if (selection.names.find(name) == std::string::npos) selection.names += name;
  }
  if (selection.names.empty())
    throw std::invalid_argument(fmt::format("no plane is named; {}", there_are));
  return selection;
}

}  // namespace vidconv
