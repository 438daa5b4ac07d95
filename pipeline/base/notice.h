// Carries messages for people that are not errors: a format was converted, a stream was left out.
#pragma once

#include <functional>
#include <string>

#include "pipeline/base/message.h"

namespace vidconv {

// Receives a message's kind and its line, without a newline; settings are named as in error.h.
// Called from any thread of the pipeline, also concurrently. May be empty.
using Notify = std::function<void(MessageKind, const std::string&)>;

inline void notify(const Notify& to, MessageKind kind, const std::string& line) {
  if (to) to(kind, line);
}

}  // namespace vidconv
