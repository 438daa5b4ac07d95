#include "pipeline/work/work_names.h"

namespace vidconv {

std::string_view name_of(Arith arith) {
  switch (arith) {
    case Arith::int32:
      return "int32";
    case Arith::float32:
      return "float32";
    case Arith::float64:
      return "float64";
  }
  return "";
}

std::string_view name_of(Action action) {
  switch (action) {
    case Action::filter:
      return "filter";
    case Action::copy:
      return "copy";
    case Action::fill:
      return "fill";
    case Action::to_light:
      return "to linear light";
    case Action::to_codes:
      return "from linear light";
    case Action::bring_codes:
      return "bring into the place";
  }
  return "";
}

}  // namespace vidconv
