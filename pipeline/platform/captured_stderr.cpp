#include "pipeline/platform/captured_stderr.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "pipeline/base/printable.h"

namespace vidconv {

// Lists all live CapturedStderr. It is never freed: stderr outlives the program's own objects.
struct LibraryWordsRegistry {
  std::mutex mutex;
  std::vector<CapturedStderr*> listeners;

  static LibraryWordsRegistry& get() {
    static auto* const registry = new LibraryWordsRegistry;
    return *registry;
  }

  bool tell(std::string_view error) {
    constexpr std::size_t most = 4096;  // bytes
    const std::lock_guard lock(mutex);
    for (CapturedStderr* words : listeners)
      if (std::string& all = words->errors_; all.size() < most)
        all.append(all.empty() ? "" : "; ").append(verbatim(error));
    return !listeners.empty();
  }
};

namespace {

void hear(std::string_view line) {
  constexpr std::string_view lesser[] = {"warning", "warn", "info", "debug", "trace", "full"};
  // "Svt[error]: Instance 1: ...", "x265 [info]: ..."
  const std::size_t end = line.find("]: "), begin = line.rfind('[', end);
  if (end != line.npos && begin != line.npos) {
    const std::string_view level = line.substr(begin + 1, end - begin - 1);
    if (std::ranges::find(lesser, level) != std::end(lesser)) return;
    if ((level == "error" || level == "fatal") &&
        LibraryWordsRegistry::get().tell(line.substr(end + 3)))
      return;
  }
  const std::string shown = printable(line) + "\n";
  static_cast<void>(!write(STDERR_FILENO, shown.data(), shown.size()));
}

}  // namespace

CapturedStderr::CapturedStderr() {
  LibraryWordsRegistry& registry = LibraryWordsRegistry::get();
  const std::lock_guard lock(registry.mutex);
  registry.listeners.push_back(this);
}

CapturedStderr::~CapturedStderr() {
  LibraryWordsRegistry& registry = LibraryWordsRegistry::get();
  const std::lock_guard lock(registry.mutex);
  std::erase(registry.listeners, this);
}

std::string CapturedStderr::errors() const {
  const std::lock_guard lock(LibraryWordsRegistry::get().mutex);
  return errors_;
}

void hear_library_words(std::string_view text) noexcept {
  try {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (!line.empty()) hear(line);
    }
  } catch (...) {  // no memory for the line
  }
}

}  // namespace vidconv
