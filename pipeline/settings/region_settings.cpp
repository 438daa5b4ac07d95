#include "pipeline/settings/region_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"
#include "pipeline/decode/picture_decoder.h"
#include "pipeline/region/box_file.h"
#include "pipeline/settings/setting_values.h"

namespace vidconv {
namespace {

constexpr const char* default_name = "regions_default";

bool is_filter_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == text.npos;
}

FilterSpec parse_default(const std::string& text, std::int64_t max_pixels) {
  try {
    FilterSpec filter = FilterSpec::parse(text, max_pixels, decode_grey_picture);
    if (filter.has_place())
      refuse_setting(default_name, text, "it acts in boxes, and has a place of its own",
                     "leave out the place");
    return filter;
  } catch (const SpecError& error) {
    throw Error(MessageKind::filter_spec, fmt::format("`{}`", default_name),
                excerpt(error.text(), error.column() - 1, longest_value),
                fmt::format("column {}: {}", error.column(), verbatim(error.what())),
                error.remedy());
  }
}

// Returns the number of the filter that boxes without one are for; 0: each. Adds the filter if it
// is not one of the chain.
int default_filter(const std::string& text, Settings& s) {
  if (text.empty()) return 0;
  if (!is_filter_number(text)) {
    s.filters.push_back(parse_default(text, s.source.max_pixels));
    return static_cast<int>(s.filters.size());
  }
  const auto number =
      static_cast<std::size_t>(whole_setting(default_name, text, 1, std::ssize(s.filters)));
  if (s.filters[number - 1].has_place())
    refuse_setting(default_name, text, fmt::format("filter {} has a place of its own", number),
                   "name one that has none");
  return static_cast<int>(number);
}

void check_boxes(const Settings& s) {
  const BoxOptions& options = s.boxes->options();
  const auto refuse_boxes = [&](const std::string& why, const char* remedy) {
    refuse_setting("regions", options.name(), why, remedy);
  };
  if (!s.source.video)
    refuse_boxes("its boxes are of one video", "choose one by setting `video` to a number");
  if (s.filters.empty()) refuse_boxes("there is no filter to act in its boxes", "set `kernel`");
  if (std::ranges::all_of(s.filters, &FilterSpec::has_place))
    refuse_boxes("each filter has a region of its own", "leave out the region of one");
  const BoxLine& last = s.boxes->last_filter();
  if (last.filter > static_cast<int>(s.filters.size()))
    refuse_boxes(fmt::format("{} names filter {} of a chain of {}", options.where(last.line),
                             last.filter, s.filters.size()),
                 "filters are counted from 1");
}

}  // namespace

std::string filter_of_boxes_setting(const std::string& text) {
  if (is_filter_number(text))
    whole_setting(default_name, text, 1, 1000);
  else
    parse_default(text, FilterSpec::most_pixels);
  return text;
}

void take_boxes(Settings& s) {
  if (s.regions)
    take_boxes(read_box_file(*s.regions), *s.regions, s);
  else if (!s.regions_default.empty())
    refuse_setting(default_name, s.regions_default, "there are no boxes", "give them by `regions`");
}

void take_boxes(std::vector<BoxLine> boxes, const BoxOptions& with, Settings& s) {
  BoxOptions options = with;
  options.filter = default_filter(s.regions_default, s);
  s.boxes = std::make_shared<Boxes>(std::move(boxes), std::move(options));
  check_boxes(s);
  for (std::size_t i = 0; i < s.filters.size(); ++i)
    if (!s.filters[i].has_place()) s.filters[i] = s.filters[i].in_boxes(i);
}

}  // namespace vidconv
