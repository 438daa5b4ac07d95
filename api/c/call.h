// The boundary between C and C++: arguments are checked, and exceptions become a status.
#pragma once

#include <vidconv/vidconv.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "pipeline/base/error.h"

namespace vidconv {

// An error at a column of a filter's specification.
class ColumnError : public Error {
 public:
  ColumnError(const Error& error, std::size_t column) : Error(error), column_(column) {}
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

// Writes the exception being handled into `error`, which may be null. Only for catch blocks.
vidconv_status report(vidconv_error* error) noexcept;
vidconv_status report(vidconv_error* error, const std::exception_ptr& failure) noexcept;

// Runs the body of a function of the header: `work` may throw anything, and may return a status.
template <class F>
vidconv_status call(vidconv_error* error, F&& work) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return VIDCONV_OK;
    } else {
      return work();
    }
  } catch (...) {
    return report(error);
  }
}

// Throws Error(usage): `what` says what is wrong with a function's `argument`.
[[noreturn]] void refuse_argument(const char* argument, const std::string& what);

template <class T>
T& needed(T* pointer, const char* argument) {
  if (!pointer) refuse_argument(argument, "it is NULL");
  return *pointer;
}

// Returns the place for a new object, set to null for callers that forget to check the status.
template <class T>
T*& place_for(T** object, const char* argument) {
  T*& place = needed(object, argument);
  place = nullptr;
  return place;
}

// No struct of ours will ever be larger.
inline constexpr std::size_t largest_struct = 1 << 14;

// Throws Error(usage) if `size` is less than the `known` bytes of a struct, or absurdly large.
void check_size(std::size_t size, std::size_t known, const char* argument);
// Also throws if the struct has members, not 0, that this version does not know.
void check_struct(const void* given, std::size_t size, std::size_t known, const char* argument);

// Returns a copy of the caller's struct, as far as this version knows it.
template <class T>
T taken(const T* given, const char* argument) {
  static_assert(std::is_trivially_copyable_v<T>);
  check_struct(given, needed(given, argument).size, sizeof(T), argument);
  return *given;
}

// Fills the caller's struct; members that this version does not know are set to 0.
template <class T>
void give(T* place, T value, const char* argument) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t size = needed(place, argument).size;
  check_size(size, sizeof(T), argument);
  value.size = size;
  std::memcpy(place, &value, sizeof(T));
  std::memset(reinterpret_cast<char*>(place) + sizeof(T), 0, size - sizeof(T));
}

// Copies as many whole characters of a text as there is room for, and a 0.
void copy_text(char* place, std::size_t room, const std::string& text) noexcept;
template <std::size_t room>
void copy_text(char (&place)[room], const std::string& text) noexcept {
  copy_text(place, room, text);
}

}  // namespace vidconv
