// What libraries below libav* print on stderr by themselves.
#pragma once

#include <mutex>
#include <string>

namespace vidconv {

// From now on such libraries say nothing but errors, and these only to LibraryWords. The words of
// the program itself have to leave by another descriptor than 2, which is not stderr for moments.
// For the whole process, before it has threads.
void catch_library_words();

// Hears what libraries print while it lives; one at a time. Without catch_library_words() it hears
// nothing.
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
