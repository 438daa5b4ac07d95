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

// Lines that a library has printed: errors go to those who hear, what is of less weight goes
// nowhere, and what has no weight written to it, such as the last words of a program that ends
// itself, goes to stderr, made printable. Never throws: it is called by C.
void hear_library_words(std::string_view text) noexcept;

}  // namespace vidconv
