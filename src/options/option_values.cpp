#include "src/options/option_values.h"

#include <fmt/format.h>

#include "pipeline/base/printable.h"
#include "pipeline/decode/picture_decoder.h"

namespace vidconv {

void refuse(const std::string& option, const std::string& value, const std::string& why,
            const std::string& remedy) {
  throw Error(Fault::usage, option, shortened(value, longest_value), why, remedy);
}

Error kernel_error(const char* option, const SpecError& error) {
  return {MessageKind::filter_spec, option,
          excerpt(error.text(), error.column() - 1, longest_value),
          fmt::format("column {}: {}", error.column(), verbatim(error.what())), error.remedy()};
}

FilterSpec parse_kernel(const char* option, const std::string& text, std::int64_t max_pixels) {
  try {
    return FilterSpec::parse(text, max_pixels, decode_grey_picture);
  } catch (const SpecError& error) {
    throw kernel_error(option, error);
  }
}

ProgressMode parse_progress(const std::string& text) {
  return text == "plain"  ? ProgressMode::plain
         : text == "json" ? ProgressMode::json
         : text == "none" ? ProgressMode::none
                          : ProgressMode::automatic;
}

}  // namespace vidconv
