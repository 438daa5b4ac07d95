// Returns the words for the parts of a work, in reports and explanations. They end with 0.
#pragma once

#include <string_view>

#include "pipeline/work/work.h"

namespace vidconv {

std::string_view name_of(Arith arith);
std::string_view name_of(Action action);

}  // namespace vidconv
