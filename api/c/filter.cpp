#include "api/c/filter.h"

#include <fmt/format.h>

#include "api/c/call.h"
#include "pipeline/base/printable.h"
#include "pipeline/decode/picture_decoder.h"

namespace vidconv {

ColumnError column_error(const SpecError& error) {
  return {
      Error(MessageKind::filter_spec, "cannot understand the filter",
            excerpt(error.text(), error.column() - 1, longest_value),
            fmt::format("column {}: {}", error.column(), verbatim(error.what())), error.remedy()),
      error.column()};
}

FilterSpec parse_kernel_setting(const std::string& text) {
  try {
    return FilterSpec::parse(text, FilterSpec::most_pixels, decode_grey_picture);
  } catch (const SpecError& error) {
    throw column_error(error);
  }
}

}  // namespace vidconv

vidconv_status vidconv_filter_parse(const char* spec, vidconv_filter** filter,
                                    vidconv_error* error) {
  return vidconv::call(error, [&] {
    vidconv_filter*& place = vidconv::place_for(filter, "filter");
    auto made = std::make_unique<vidconv_filter>(
        vidconv_filter{vidconv::parse_kernel_setting(&vidconv::needed(spec, "spec")), {}});
    for (const std::string& warning : {made->spec.gain_warning(), made->spec.shape_warning()})
      if (!warning.empty()) made->warnings.push_back(vidconv::printable(warning));
    place = made.release();
  });
}

void vidconv_filter_free(vidconv_filter* filter) { delete filter; }

const char* vidconv_filter_text(const vidconv_filter* filter) {
  return filter ? filter->spec.text().c_str() : nullptr;
}

const char* vidconv_filter_file(const vidconv_filter* filter, size_t index) {
  if (!filter || index >= filter->spec.files().size()) return nullptr;
  return filter->spec.files()[index].c_str();
}

const char* vidconv_filter_warning(const vidconv_filter* filter, size_t index) {
  if (!filter || index >= filter->warnings.size()) return nullptr;
  return filter->warnings[index].c_str();
}
