// What libraries below libav* print on stderr by themselves.
#pragma once

#include <mutex>
#include <string>

namespace vidconv {

// Hears what libraries print while it lives; one at a time. Without catch_library_words()
// (process.h) it hears nothing.
class LibraryWords {
 public:
  LibraryWords();
  ~LibraryWords();
  LibraryWords(const LibraryWords&) = delete;
  LibraryWords& operator=(const LibraryWords&) = delete;

  // The errors, joined by "; ", without the library's name.
  std::string errors() const;

 private:
  std::unique_lock<std::mutex> alone_;
  int heard_ = -1, stderr_ = -1;  // descriptors
};

}  // namespace vidconv
