// Reads border modes from text.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/picture/border.h"

namespace vidconv {

// what() says why the text is no border.
class BorderError : public std::invalid_argument {
 public:
  BorderError(const std::string& why, std::string remedy)
      : std::invalid_argument(why), remedy_(std::move(remedy)) {}
  const std::string& remedy() const { return remedy_; }

 private:
  std::string remedy_;
};

// Returns "reflect101|reflect|...|zero|constant:V".
std::string border_words();

// Reads one of these words, in any case; V is a fraction of full scale. Throws BorderError.
Border parse_border(const std::string& text);

}  // namespace vidconv
