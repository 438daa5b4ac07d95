#include "pipeline/region/box_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "kernels/spec/kernel_file.h"
#include "pipeline/base/error.h"
#include "pipeline/region/box_line.h"
#include "pipeline/region/csv.h"

namespace vidconv {
namespace {

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
        throw WrongLine{fmt::format("cell {}: its frame, {}, is not a whole number",
                                    at_.find("frame")->second + 1, frame)};
      line.at = frame - (mot_ ? 1 : 0);
    } else {
      line.at = number(cells, "time");
      line.by_time = true;
    }
    if (mot_ && line.at < 0)
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
    throw WrongLine{fmt::format("cell {}: its {}, '{}', is not a number",
                                at_.find(what)->second + 1, what, text)};
  }

  CsvDialect dialect_;
  std::size_t count_ = 0;  // cells in each line
  std::map<std::string_view, std::size_t> at_;
  bool mot_ = false;
};

// Some programs that write boxes give sizes relative to the picture: the units must be named then.
void check_units(const std::vector<BoxLine>& lines, Units units, const std::string& name,
                 const char* remedy) {
  const bool all_small = std::ranges::all_of(lines, [](const BoxLine& line) {
    return line.x >= 0 && line.y >= 0 && line.x + line.width <= 1 && line.y + line.height <= 1;
  });
  if (all_small && units == Units::unknown)
    throw Error(MessageKind::filter_spec, "cannot read the boxes", name,
                "all of them lie in the picture's first pixel: their numbers are from 0 to 1",
                remedy);
}

}  // namespace

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
    if (text[first] == '{') return read_json_boxes(text, take);
    const bool begins = !csv;
    if (begins) csv.emplace(text);
    if (!begins || !csv->has_heading()) take(csv->line_of(text));
  };
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  try {
    if (begin != bytes.npos && bytes[begin] == '[') {  // one array, whose boxes are counted from 1
      number = 1;
      read_json_boxes(bytes, [&](BoxLine line) {
        take(std::move(line));
        ++number;
      });
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
                "leave out `regions`");
  check_units(lines, units, name,
              "add :units=relative where they are parts of the picture, else :units=pixels");
  return lines;
}

std::vector<BoxLine> read_box_file(const BoxOptions& options) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  std::string bytes;
  try {
    bytes = read_kernel_file(options.file, most_bytes);
  } catch (const std::runtime_error& error) {
    throw Error(MessageKind::filter_spec, "cannot read the boxes", options.file, error.what(),
                "name a file that can be read");
  }
  return read_boxes(bytes, options.file, options.units);
}

void check_listed(std::vector<BoxLine>& boxes, const BoxOptions& options) {
  int number = 0;
  for (BoxLine& box : boxes) {
    box.line = ++number;
    try {
      check_box(box);
    } catch (const WrongLine& wrong) {
      throw Error(MessageKind::filter_spec, "cannot take the box", options.where(number), wrong.why,
                  "see docs/places.md");
    }
  }
  check_units(boxes, options.units, "regions",
              "add units=relative where they are parts of the picture, else units=pixels");
}

}  // namespace vidconv
