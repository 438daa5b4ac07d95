#include "src/options/box_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/base/error.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

constexpr double farthest = 1e6;  // pixels from the picture's corner, and a side
constexpr std::int64_t most_frames = std::int64_t{1} << 40;
constexpr double longest_video = 1e9;  // seconds

// What is wrong with the line that is being read.
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

// {"frame": 12, "id": 3, "box": [100, 80, 64, 64]}
BoxLine line_of_json(const std::string& text) {
  BoxJson json;
  try {
    json = BoxJson::parse(text);
  } catch (const BoxJson::parse_error& error) {
    throw WrongLine{fmt::format("column {}: it is no JSON object", error.byte)};
  }
  if (json.contains("frame") == json.contains("time"))
    throw WrongLine{"it needs a frame or a time, not both"};
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

// Columns and the names that they have.
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

std::vector<std::string> cells_of(const std::string& text) {
  std::vector<std::string> cells{""};
  for (const char c : text) {
    if (c == ',' || c == ';' || c == '\t')
      cells.emplace_back();
    else if (c != ' ' && c != '\r' && c != '"')
      cells.back() += c;
  }
  return cells;
}

// What the cells of a line are, by a heading or as MOT challenge has them.
class Csv {
 public:
  explicit Csv(const std::vector<std::string>& heading) {
    for (const Column& column : csv_columns()) {
      const auto at = std::ranges::find_if(heading, [&](const std::string& cell) {
        return std::ranges::any_of(column.names, [&](auto name) { return same_name(cell, name); });
      });
      if (at != heading.end()) at_[column.what] = static_cast<std::size_t>(at - heading.begin());
    }
    if (at_.contains("frame") == at_.contains("time"))
      throw WrongLine{"its heading needs a column frame or time, not both"};
    const bool has_size = at_.contains("width") && at_.contains("height");
    const bool has_end = at_.contains("right") && at_.contains("bottom");
    if (!at_.contains("x") || !at_.contains("y") || has_size == has_end)
      throw WrongLine{"its heading needs columns x, y and width, height, or x1, y1, x2, y2"};
  }
  // MOT challenge: frame (from 1), id (-1: none), left, top, width, height, and more.
  Csv()
      : at_{{"frame", 0}, {"id", 1}, {"x", 2}, {"y", 3}, {"width", 4}, {"height", 5}}, mot_(true) {}

  BoxLine line_of(const std::vector<std::string>& cells) const {
    BoxLine line;
    if (at_.contains("frame"))
      line.frame = static_cast<std::int64_t>(std::floor(number(cells, "frame"))) - (mot_ ? 1 : 0);
    else
      line.time = number(cells, "time");
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
  std::string cell(const std::vector<std::string>& cells, const char* what) const {
    const std::size_t at = at_.at(what);
    if (at >= cells.size()) throw WrongLine{fmt::format("it has no {}", what)};
    return cells[at];
  }
  double number(const std::vector<std::string>& cells, const char* what) const {
    const std::string text = cell(cells, what);
    if (const auto value = number_of<double>(text, -1e15, 1e15)) return *value;
    throw WrongLine{fmt::format("its {}, '{}', is not a number", what, text)};
  }

  std::map<std::string, std::size_t> at_;
  bool mot_ = false;
};

bool has_letters(const std::string& text) {
  return std::ranges::any_of(text,
                             [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
}

}  // namespace

BoxOptions parse_regions(const std::string& text) {
  BoxOptions options;
  std::size_t end = text.size();
  for (const char* key : {":grow=", ":shape=", ":feather="}) end = std::min(end, text.find(key));
  options.file = text.substr(0, end);
  const auto fail = [&](const std::string& why) {
    refuse("--regions", text, why, "FILE[:grow=15%][:shape=ellipse][:feather=8]");
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
    } else if (key == "feather") {
      const auto number = number_of<int>(value, 0, 1000);
      if (!number) wrong("a whole number of pixels from 0 to 1000");
      options.feather = *number;
    } else {
      fail(fmt::format("column {}: unknown key '{}'{}", begin + 1, key,
                       did_you_mean(key, {"grow", "shape", "feather"})));
    }
  }
  return options;
}

std::vector<BoxLine> read_boxes(const std::string& bytes, const std::string& name) {
  std::vector<BoxLine> lines;
  std::map<std::tuple<std::string, int, std::optional<std::int64_t>, double>, int> known;
  std::istringstream stream(bytes);
  std::string text;
  std::optional<Csv> csv;
  int number = 0;
  const auto read_line = [&] {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos || text[first] == '#') return;
    if (text[first] == '{') {
      lines.push_back(line_of_json(text));
    } else if (!csv && has_letters(text)) {
      csv.emplace(cells_of(text));
      return;
    } else {
      if (!csv) csv.emplace();
      lines.push_back(csv->line_of(cells_of(text)));
    }
    BoxLine& line = lines.back();
    line.line = number;
    check_box(line);
    if (line.id.empty()) return;
    const auto [same, is_new] =
        known.try_emplace({line.id, line.filter, line.frame, line.time}, number);
    if (!is_new)
      throw WrongLine{fmt::format("id {} has a box at that {} already, in line {}", line.id,
                                  line.frame ? "frame" : "time", same->second)};
  };
  while (std::getline(stream, text)) {
    ++number;
    try {
      read_line();
    } catch (const WrongLine& wrong) {
      throw Error(MessageKind::filter_spec, "cannot read the boxes",
                  fmt::format("{} line {}", name, number), wrong.why, "see docs/places.md");
    }
  }
  if (lines.empty())
    throw Error(MessageKind::filter_spec, "cannot read the boxes", name, "the file holds none",
                "leave out --regions");
  return lines;
}

}  // namespace vidconv
