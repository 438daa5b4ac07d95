// Boxes in JSON: {"frame": 12, "id": 3, "box": [100, 80, 64, 64]}
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/region/box_line.h"

namespace vidconv {
namespace {

// A value of a key that counts.
struct JsonValue {
  enum class Kind : std::uint8_t { none, whole, real, text, other } kind = Kind::none;
  std::int64_t whole = 0;
  double real = 0;  // set for whole numbers too
  std::string text = {};

  bool is_there() const { return kind != Kind::none; }
  double number(const char* what) const {
    if (kind != Kind::whole && kind != Kind::real)
      throw WrongLine{fmt::format("{} is not a number", what)};
    return real;
  }
  std::int64_t whole_number(const char* what) const {
    if (kind != Kind::whole) throw WrongLine{fmt::format("{} is not a whole number", what)};
    return whole;
  }
};

// Takes what nlohmann's parser reads, as it reads it: no tree of values is made, which would take
// several times as long and of an array as much memory as all of its boxes.
class BoxReader {
 public:
  explicit BoxReader(const TakeBox& take) : take_(take) {}

  bool null() { return put({.kind = JsonValue::Kind::other}); }
  bool boolean(bool) { return put({.kind = JsonValue::Kind::other}); }
  bool number_integer(std::int64_t value) {
    return put(
        {.kind = JsonValue::Kind::whole, .whole = value, .real = static_cast<double>(value)});
  }
  bool number_unsigned(std::uint64_t value) {
    const bool fits = value <= static_cast<std::uint64_t>(INT64_MAX);
    return fits ? number_integer(static_cast<std::int64_t>(value))
                : put({.kind = JsonValue::Kind::real, .real = static_cast<double>(value)});
  }
  bool number_float(double value, const std::string&) {
    return put({.kind = JsonValue::Kind::real, .real = value});
  }
  bool string(std::string& value) {
    return put({.kind = JsonValue::Kind::text, .text = std::move(value)});
  }
  bool binary(std::vector<std::uint8_t>&) { return put({.kind = JsonValue::Kind::other}); }

  bool start_object(std::size_t) {
    if (!object_depth_) {
      object_depth_ = ++depth_;
      frame_ = time_ = id_ = shape_ = filter_ = {};
      box_.clear();
      has_box_ = has_bbox_ = false;
    } else {
      put({.kind = JsonValue::Kind::other});
      ++depth_;
    }
    begins_.push_back(keys_.size());
    return true;
  }
  bool key(std::string& name) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begins_.back());
    if (std::find(first, keys_.end(), name) != keys_.end())
      throw WrongLine{fmt::format("'{}' is said twice", name)};
    if (depth_ == object_depth_) now_ = place_of(name);
    keys_.push_back(std::move(name));
    return true;
  }
  bool end_object() {
    keys_.resize(begins_.back());
    begins_.pop_back();
    if (depth_-- != object_depth_) return true;
    object_depth_ = 0;
    take_(line());
    return true;
  }
  bool start_array(std::size_t) {
    if (!object_depth_ && depth_ > 0) refuse_other();
    if (object_depth_ && depth_ == object_depth_ && now_ == Key::box) {
      box_.clear();
      has_box_ = true;
      box_depth_ = depth_ + 1;
    } else if (object_depth_) {
      put({.kind = JsonValue::Kind::other});
    }
    ++depth_;
    return true;
  }
  bool end_array() {
    if (depth_-- == box_depth_) box_depth_ = 0;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    throw WrongLine{fmt::format("column {}: it is no JSON object", position)};
  }

 private:
  enum class Key : std::uint8_t { other, frame, time, id, shape, filter, box };

  [[noreturn]] static void refuse_other() {
    throw WrongLine{"it is no object, {\"frame\": 12, \"box\": [...]}"};
  }

  Key place_of(const std::string& name) {
    if (name == "bbox") has_bbox_ = true;
    return name == "frame"    ? Key::frame
           : name == "time"   ? Key::time
           : name == "id"     ? Key::id
           : name == "shape"  ? Key::shape
           : name == "filter" ? Key::filter
           : name == "box"    ? Key::box
                              : Key::other;
  }

  bool put(JsonValue value) {
    if (!object_depth_) refuse_other();
    if (box_depth_ != 0) {
      if (depth_ == box_depth_) box_.push_back(std::move(value));
      return true;
    }
    if (depth_ != object_depth_) return true;
    switch (now_) {
      case Key::frame:
        frame_ = std::move(value);
        break;
      case Key::time:
        time_ = std::move(value);
        break;
      case Key::id:
        id_ = std::move(value);
        break;
      case Key::shape:
        shape_ = std::move(value);
        break;
      case Key::filter:
        filter_ = std::move(value);
        break;
      case Key::box:
      case Key::other:
        break;
    }
    return true;
  }

  BoxLine line() {
    if (frame_.is_there() == time_.is_there())
      throw WrongLine{"it needs a frame or a time, not both"};
    if (!has_box_ && has_bbox_)
      throw WrongLine{
          "some write a bbox as x, y, width, height and some as two corners: write it as box, "
          "[x, y, width, height]"};
    if (box_.size() != 4) throw WrongLine{"it needs a box, [x, y, width, height]"};
    BoxLine line;
    line.by_time = time_.is_there();
    line.at =
        line.by_time ? time_.number("time") : static_cast<double>(frame_.whole_number("frame"));
    double* const numbers[] = {&line.x, &line.y, &line.width, &line.height};
    for (std::size_t i = 0; i < 4; ++i) *numbers[i] = box_[i].number("a number of the box");
    if (id_.is_there())
      line.id = id_.kind == JsonValue::Kind::text ? std::move(id_.text)
                                                  : std::to_string(id_.whole_number("id"));
    if (shape_.is_there()) line.ellipse = is_ellipse(shape_.text);
    if (filter_.is_there())
      line.filter = filter_number(static_cast<double>(filter_.whole_number("filter")));
    return line;
  }

  const TakeBox& take_;
  int depth_ = 0, object_depth_ = 0, box_depth_ = 0;  // 0: in none
  Key now_ = Key::other;                              // whose value comes next
  JsonValue frame_, time_, id_, shape_, filter_;
  std::vector<JsonValue> box_;
  bool has_box_ = false, has_bbox_ = false;
  std::vector<std::string> keys_;    // keys of all objects that are open,
  std::vector<std::size_t> begins_;  // and where those of each begin
};

}  // namespace

void read_json_boxes(std::string_view text, const TakeBox& take) {
  BoxReader reader(take);
  nlohmann::json::sax_parse(text, &reader);
}

}  // namespace vidconv
