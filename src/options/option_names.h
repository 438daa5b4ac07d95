// What the settings of the pipeline are called on the command line.
#pragma once

#include <string>
#include <string_view>

namespace vidconv {

// `text` of the pipeline, where settings stand in backticks ("choose another `codec`"), with the
// names of options ("choose another --codec"). What is verbatim() (pipeline/base/printable.h) in it
// becomes what it was; what is no setting stays as it is.
std::string with_option_names(std::string_view text);

}  // namespace vidconv
