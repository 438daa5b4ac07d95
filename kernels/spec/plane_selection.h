// The choice of a picture's components that filters act on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vidconv {

struct PlaneSelection {
  enum class Mode : std::uint8_t {
    by_purpose,  // as each filter's Purpose says; alpha is copied
    all,         // every component, alpha too
    luma,
    chroma,
    list,  // `names`
  };
  Mode mode = Mode::by_purpose;
  std::string names;  // component names, upper case, each once: "YU", "RA"

  // Reads "all", "luma", "chroma", or component names with or without commas: "y", "y,u", "rgb".
  // Throws std::invalid_argument that says what is wrong and what there is.
  static PlaneSelection parse(std::string_view text);

  bool operator==(const PlaneSelection&) const = default;
};

}  // namespace vidconv
