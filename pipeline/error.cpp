#include "pipeline/error.h"

#include <utility>

namespace vidconv {

Error::Error(Fault fault, std::string what, std::string value, std::string why, std::string remedy)
    : Error(usual_message(fault), std::move(what), std::move(value), std::move(why),
            std::move(remedy)) {}

Error::Error(Message kind, std::string what, std::string value, std::string why, std::string remedy)
    : std::runtime_error(what),
      kind_(kind),
      what_(std::move(what)),
      value_(std::move(value)),
      why_(std::move(why)),
      remedy_(std::move(remedy)) {
  compose();
}

void Error::set_frame(std::int64_t number) {
  if (frame_) return;
  frame_ = number;
  compose();
}

void Error::compose() {
  message_ = what_;
  if (!value_.empty()) message_ += " '" + value_ + "'";
  if (!why_.empty()) message_ += ": " + why_;
  if (frame_) message_ += " (frame " + std::to_string(*frame_) + ")";
  if (!remedy_.empty()) message_ += "; " + remedy_;
}

}  // namespace vidconv
