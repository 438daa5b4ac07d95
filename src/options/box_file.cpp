#include "src/options/box_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "src/options/csv.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

constexpr double farthest = 1e6;  // pixels: largest coordinate and side of a box
constexpr std::int64_t most_frames = std::int64_t{1} << 40;
constexpr double longest_video = 1e9;  // seconds

// Thrown for the line that is being read; says what is wrong with it.
struct WrongLine {
  std::string why;
};

void check_box(const BoxLine& line) {
  for (const double number : {line.x, line.y, line.width, line.height})
    if (!(std::abs(number) <= farthest))
      throw WrongLine{fmt::format("{:g} is outside -{} to {}", number, farthest, farthest)};
  if (line.width <= 0 || line.height <= 0)
    throw WrongLine{fmt::format("a box of {:g} by {:g} holds nothing", line.width, line.height)};
  if (line.frame && (*line.frame < 0 || *line.frame > most_frames))
    throw WrongLine{fmt::format("there is no frame {}", *line.frame)};
  if (!line.frame && !(line.time >= 0 && line.time <= longest_video))
    throw WrongLine{fmt::format("{:g} is no time in seconds", line.time)};
}

bool is_ellipse(const std::string& shape) {
  if (shape == "ellipse") return true;
  if (shape == "rectangle") return false;
  throw WrongLine{fmt::format("the shape '{}' is neither rectangle nor ellipse", shape)};
}

int filter_number(double filter) {
  if (!(filter >= 1 && filter <= 1000))
    throw WrongLine{fmt::format("there is no filter {:g}", filter)};
  return static_cast<int>(filter);
}

using BoxJson = nlohmann::json;

double number_in(const BoxJson& value, const char* what) {
  if (!value.is_number()) throw WrongLine{fmt::format("{} is not a number", what)};
  return value.get<double>();
}

std::int64_t whole_in(const BoxJson& value, const char* what) {
  if (!value.is_number_integer()) throw WrongLine{fmt::format("{} is not a whole number", what)};
  return value.get<std::int64_t>();
}

// Throws if an object has a key twice: readers disagree on which one counts.
void refuse_repeated_keys(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int, BoxJson::parse_event_t event, BoxJson& value) {
    if (event == BoxJson::parse_event_t::object_start) keys.emplace_back();
    if (event == BoxJson::parse_event_t::object_end) keys.pop_back();
    if (event == BoxJson::parse_event_t::key && !keys.back().insert(value).second)
      throw WrongLine{fmt::format("'{}' is said twice", value.get<std::string>())};
    return true;
  };
  [[maybe_unused]] const BoxJson looked_at = BoxJson::parse(text, look);
}

std::size_t keys_in(const BoxJson& json) {
  std::size_t keys = json.is_object() ? json.size() : 0;
  if (json.is_structured())
    for (const BoxJson& value : json) keys += keys_in(value);
  return keys;
}

// Returns how many keys a value's text has: each is followed by a colon outside of strings.
std::size_t colons_in(std::string_view text) {
  std::size_t colons = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ':')
      ++colons;
  }
  return colons;
}

BoxJson parse_json(std::string_view text) {
  try {
    BoxJson json = BoxJson::parse(text);
    // Looking at each key takes several times as long as parsing, so it is done only if needed.
    if (keys_in(json) != colons_in(text)) refuse_repeated_keys(text);
    return json;
  } catch (const BoxJson::parse_error& error) {
    throw WrongLine{fmt::format("column {}: it is no JSON object", error.byte)};
  }
}

// Reads {"frame": 12, "id": 3, "box": [100, 80, 64, 64]}.
BoxLine line_of_json(const BoxJson& json) {
  if (!json.is_object()) throw WrongLine{"it is no object, {\"frame\": 12, \"box\": [...]}"};
  if (json.contains("frame") == json.contains("time"))
    throw WrongLine{"it needs a frame or a time, not both"};
  if (!json.contains("box") && json.contains("bbox"))
    throw WrongLine{
        "some write a bbox as x, y, width, height and some as two corners: write it as box, "
        "[x, y, width, height]"};
  if (!json.contains("box") || !json["box"].is_array() || json["box"].size() != 4)
    throw WrongLine{"it needs a box, [x, y, width, height]"};
  BoxLine line;
  if (json.contains("frame"))
    line.frame = whole_in(json["frame"], "frame");
  else
    line.time = number_in(json["time"], "time");
  double* const numbers[] = {&line.x, &line.y, &line.width, &line.height};
  for (std::size_t i = 0; i < 4; ++i)
    *numbers[i] = number_in(json["box"][i], "a number of the box");
  if (json.contains("id"))
    line.id = json["id"].is_string() ? json["id"].get<std::string>()
                                     : std::to_string(whole_in(json["id"], "id"));
  if (json.contains("shape"))
    line.ellipse = is_ellipse(json["shape"].is_string() ? json["shape"].get<std::string>() : "");
  if (json.contains("filter"))
    line.filter = filter_number(static_cast<double>(whole_in(json["filter"], "filter")));
  return line;
}

// A column and the names under which it is known.
struct Column {
  const char* what;
  std::vector<std::string_view> names;
};
const std::vector<Column>& csv_columns() {
  static const std::vector<Column> columns{
      {"frame", {"frame", "frame_number", "frame_id", "frame_index"}},
      {"time", {"time", "timestamp", "seconds"}},
      {"id", {"id", "track_id", "track"}},
      {"x", {"x", "left", "x1", "xmin", "bb_left"}},
      {"y", {"y", "top", "y1", "ymin", "bb_top"}},
      {"width", {"width", "w", "bb_width"}},
      {"height", {"height", "h", "bb_height"}},
      {"right", {"right", "x2", "xmax"}},
      {"bottom", {"bottom", "y2", "ymax"}},
      {"shape", {"shape"}},
      {"filter", {"filter"}}};
  return columns;
}

// Reads lines of cells whose order a header line gives, or MOT challenge's format.
class Csv {
 public:
  // `first` is the first line of the file: its header, or a line of MOT challenge's format: frame
  // (from 1), id (-1: none), left, top, width, height, and more.
  explicit Csv(std::string_view first) : dialect_(csv_dialect(first)) {
    const std::vector<std::string> cells = cells_of(first);
    count_ = cells.size();
    mot_ = std::ranges::all_of(
        cells, [&](const auto& cell) { return csv_number(cell, dialect_).has_value(); });
    if (mot_)
      at_ = {{"frame", 0}, {"id", 1}, {"x", 2}, {"y", 3}, {"width", 4}, {"height", 5}};
    else
      read_heading(cells);
  }
  bool has_heading() const { return !mot_; }

  BoxLine line_of(std::string_view text) const {
    const std::vector<std::string> cells = cells_of(text);
    if (cells.size() != count_)
      throw WrongLine{
          fmt::format("it has {} cells, and the first line has {}: they are separated "
                      "by {} in this file",
                      cells.size(), count_, separator_name())};
    BoxLine line;
    if (at_.contains("frame")) {
      const double frame = number(cells, "frame");
      if (frame != std::floor(frame))
        throw WrongLine{fmt::format("its frame, {}, is not a whole number", frame)};
      line.frame = static_cast<std::int64_t>(frame) - (mot_ ? 1 : 0);
    } else {
      line.time = number(cells, "time");
    }
    if (mot_ && line.frame < 0)
      throw WrongLine{"without a heading frames are counted from 1, as in MOT challenge's files"};
    line.x = number(cells, "x");
    line.y = number(cells, "y");
    line.width = at_.contains("width") ? number(cells, "width") : number(cells, "right") - line.x;
    line.height =
        at_.contains("height") ? number(cells, "height") : number(cells, "bottom") - line.y;
    if (at_.contains("id") && cell(cells, "id") != "-1") line.id = cell(cells, "id");
    if (at_.contains("shape")) line.ellipse = is_ellipse(cell(cells, "shape"));
    if (at_.contains("filter")) line.filter = filter_number(number(cells, "filter"));
    return line;
  }

 private:
  void read_heading(const std::vector<std::string>& heading) {
    for (const Column& column : csv_columns()) {
      const auto is_it = [&](const std::string& cell) {
        return std::ranges::any_of(column.names, [&](auto name) { return same_name(cell, name); });
      };
      const auto at = std::ranges::find_if(heading, is_it);
      if (at == heading.end()) continue;
      if (std::find_if(at + 1, heading.end(), is_it) != heading.end())
        throw WrongLine{fmt::format("its heading has two columns for {}", column.what)};
      at_[column.what] = static_cast<std::size_t>(at - heading.begin());
    }
    if (at_.contains("frame") == at_.contains("time"))
      throw WrongLine{"its heading needs a column frame or time, not both"};
    const bool has_size = at_.contains("width") && at_.contains("height");
    const bool has_end = at_.contains("right") && at_.contains("bottom");
    if (!at_.contains("x") || !at_.contains("y") || has_size == has_end)
      throw WrongLine{"its heading needs columns x, y and width, height, or x1, y1, x2, y2"};
  }
  const char* separator_name() const {
    return dialect_.separator == ';'    ? "semicolons"
           : dialect_.separator == '\t' ? "tabs"
                                        : "commas";
  }
  std::vector<std::string> cells_of(std::string_view text) const {
    if (auto cells = csv_cells(text, dialect_)) return *std::move(cells);
    throw WrongLine{"a quote is not closed, or stands in the middle of a cell"};
  }
  const std::string& cell(const std::vector<std::string>& cells, std::string_view what) const {
    const std::size_t at = at_.find(what)->second;
    if (at >= cells.size()) throw WrongLine{fmt::format("it has no {}", what)};
    return cells[at];
  }
  double number(const std::vector<std::string>& cells, std::string_view what) const {
    const std::string& text = cell(cells, what);
    if (const auto value = csv_number(text, dialect_)) return *value;
    throw WrongLine{fmt::format("its {}, '{}', is not a number", what, text)};
  }

  CsvDialect dialect_;
  std::size_t count_ = 0;  // cells in each line
  std::map<std::string_view, std::size_t> at_;
  bool mot_ = false;
};

// Some programs that write boxes give sizes relative to the picture: the units must be named then.
void check_units(const std::vector<BoxLine>& lines, Units units, const std::string& name) {
  const bool all_small = std::ranges::all_of(lines, [](const BoxLine& line) {
    return line.x >= 0 && line.y >= 0 && line.x + line.width <= 1 && line.y + line.height <= 1;
  });
  if (all_small && units == Units::unknown)
    throw Error(MessageKind::filter_spec, "cannot read the boxes", name,
                "all of them lie in the picture's first pixel: their numbers are from 0 to 1",
                "add :units=relative where they are parts of the picture, else :units=pixels");
}

// Two boxes with one id at one time would be one box in two places.
void check_ids(const std::vector<BoxLine>& lines,
               const std::function<void(int, std::string)>& fail) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lines.size(); ++i)
    if (!lines[i].id.empty()) order.push_back(i);
  const auto key = [&](std::uint32_t i) {
    const BoxLine& line = lines[i];
    return std::tie(line.id, line.filter, line.frame, line.time);
  };
  std::ranges::stable_sort(order, {}, key);
  std::optional<std::uint32_t> first;
  std::uint32_t before = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (key(order[i - 1]) == key(order[i]) && order[i] < first.value_or(order[i] + 1)) {
      first = order[i];
      before = order[i - 1];
    }
  if (!first) return;
  const BoxLine& line = lines[*first];
  fail(line.line, fmt::format("id {} has a box at that {} already, in line {}", line.id,
                              line.frame ? "frame" : "time", lines[before].line));
}

}  // namespace

BoxOptions parse_regions(const std::string& text) {
  BoxOptions options;
  std::size_t end = text.size();
  for (const char* key : {":grow=", ":shape=", ":feather=", ":units="})
    end = std::min(end, text.find(key));
  options.file = text.substr(0, end);
  const auto fail = [&](const std::string& why) {
    refuse("--regions", text, why, "FILE[:grow=15%][:shape=ellipse][:feather=8][:units=relative]");
  };
  if (options.file.empty()) fail("no file is named");
  while (end < text.size()) {
    const std::size_t begin = end + 1, equals = text.find('=', begin);
    end = std::min(text.find(':', begin), text.size());
    if (equals > end) fail(fmt::format("column {}: '=' is missing", begin + 1));
    const std::string key = text.substr(begin, equals - begin);
    const std::string value = text.substr(equals + 1, end - equals - 1);
    const auto wrong = [&](const char* what) {
      fail(fmt::format("column {}: {} is {}, not '{}'", equals + 2, key, what, value));
    };
    if (key == "grow") {
      const bool percent = value.ends_with('%');
      const auto number = number_of<double>(value.substr(0, value.size() - 1), 0.0, 1000.0);
      if (!percent || !number) wrong("a percentage from 0% to 1000%");
      options.grow = *number / 100;
    } else if (key == "shape") {
      if (value != "ellipse" && value != "rectangle") wrong("rectangle or ellipse");
      options.ellipse = value == "ellipse";
    } else if (key == "units") {
      if (value != "pixels" && value != "relative") wrong("pixels or relative");
      options.units = value == "pixels" ? Units::pixels : Units::relative;
    } else if (key == "feather") {
      const auto number = number_of<int>(value, 0, 1000);
      if (!number) wrong("a whole number of pixels from 0 to 1000");
      options.feather = *number;
    } else {
      fail(fmt::format("column {}: unknown key '{}'{}", begin + 1, key,
                       did_you_mean(key, {"grow", "shape", "feather", "units"})));
    }
  }
  return options;
}

std::vector<BoxLine> read_boxes(std::string_view bytes, const std::string& name, Units units) {
  const auto fail = [&](int number, const std::string& why) {
    throw Error(MessageKind::filter_spec, "cannot read the boxes",
                fmt::format("{} line {}", name, number), why, "see docs/places.md");
  };
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  std::vector<BoxLine> lines;
  std::optional<Csv> csv;
  int number = 0;
  const auto take = [&](BoxLine line) {
    line.line = number;
    check_box(line);
    lines.push_back(std::move(line));
  };
  const auto read_line = [&](std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos || text[first] == '#') return;
    if (text.find('\0') != text.npos) throw WrongLine{"it has a byte of 0 in it"};
    if (text[first] == '{') return take(line_of_json(parse_json(text)));
    const bool begins = !csv;
    if (begins) csv.emplace(text);
    if (!begins || !csv->has_heading()) take(csv->line_of(text));
  };
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  try {
    if (begin != bytes.npos && bytes[begin] == '[') {  // one array; its boxes are counted from 1
      const BoxJson all = parse_json(bytes);
      for (const BoxJson& one : all) {
        ++number;
        take(line_of_json(one));
      }
    } else {
      lines.reserve(static_cast<std::size_t>(std::ranges::count(bytes, '\n')) + 1);
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        ++number;
        read_line(bytes.substr(at, end - at));
        at = end + 1;
      }
    }
  } catch (const WrongLine& wrong) {
    fail(number, wrong.why);
  }
  if (lines.empty())
    throw Error(MessageKind::filter_spec, "cannot read the boxes", name, "the file holds none",
                "leave out --regions");
  check_ids(lines, fail);
  check_units(lines, units, name);
  return lines;
}

}  // namespace vidconv
