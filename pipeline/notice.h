// Words for people that are not errors: a format that was converted, a stream that was left out.
#pragma once

#include <functional>
#include <string>

namespace vidconv {

// Receives one line without a newline. Called from any thread of the pipeline, also from several
// at once. May be empty.
using Notify = std::function<void(std::string)>;

inline void notify(const Notify& to, std::string line) {
  if (to) to(std::move(line));
}

}  // namespace vidconv
