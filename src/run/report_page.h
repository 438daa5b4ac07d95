// The page of --report, with @DATA@ in place of its JSON.
#pragma once

#include <string_view>

namespace vidconv {

extern const std::string_view report_page;

}  // namespace vidconv
