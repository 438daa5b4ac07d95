// Words for people that are not errors: a format that was converted, a stream that was left out.
#pragma once

#include <functional>
#include <string>

#include "pipeline/base/message.h"

namespace vidconv {

// Receives one line without a newline, and what kind it is; settings are named as in error.h.
// Called from any thread of the pipeline, also from several at once. May be empty.
using Notify = std::function<void(MessageKind, const std::string&)>;

inline void notify(const Notify& to, MessageKind kind, const std::string& line) {
  if (to) to(kind, line);
}

}  // namespace vidconv
