// The page of --report, with @DATA@ where its JSON belongs.
#pragma once

#include <string_view>

namespace vidconv {

extern const std::string_view report_page;

}  // namespace vidconv
