// Captures what libraries below libav* print on stderr themselves.
#pragma once

#include <string>
#include <string_view>

namespace vidconv {

// Hears the errors that libraries print on any thread while it lives; several objects hear the
// same. Hears nothing without catch_library_words() (process.h). All members are thread-safe.
class CapturedStderr {
 public:
  CapturedStderr();
  ~CapturedStderr();
  CapturedStderr(const CapturedStderr&) = delete;
  CapturedStderr& operator=(const CapturedStderr&) = delete;

  // Returns the errors so far, joined by "; ", without the library's name, verbatim()
  // (printable.h).
  std::string errors() const;

 private:
  friend struct LibraryWordsRegistry;
  std::string errors_;
};

// Takes lines that a library has printed. Errors go to the listeners, lesser levels are dropped,
// and lines without a level, such as the last words of a program that ends itself, go to stderr,
// made printable. Never throws, because C calls it.
void hear_library_words(std::string_view text) noexcept;

}  // namespace vidconv
