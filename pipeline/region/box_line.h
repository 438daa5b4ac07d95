// Lines of boxes, whatever the form of their file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pipeline/region/boxes.h"

namespace vidconv {

// Thrown for the line that is being read; says what is wrong with it.
struct WrongLine {
  std::string why;
};

// All of these throw WrongLine.
void check_box(const BoxLine& line);
bool is_ellipse(std::string_view shape);
int filter_number(double filter);

using TakeBox = std::function<void(BoxLine)>;

// A JSON object of a box, or an array of them, in order. A key that an object says twice is
// refused: which one counts is each reader's own idea.
void read_json_boxes(std::string_view text, const TakeBox& take);

}  // namespace vidconv
