// Stores the key of an output (output_key.h) in an extended attribute of the file: it is there from
// the moment the file gets its name, and moves with the file.
#pragma once

#include <optional>
#include <string>

namespace vidconv {

// Marks a complete file, open as `fd`. `damaged` says that its input was. Returns false and sets
// errno if the file system has no such attributes.
bool mark_done(int fd, const std::string& key, bool damaged);

struct Done {
  bool damaged;
};
// Returns a value if the output exists, has kept its size and carries this key. The first of
// numbered pictures stands for all of them.
std::optional<Done> done_before(const std::string& output, const std::string& key);

}  // namespace vidconv
