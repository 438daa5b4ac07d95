#include "api/c/call.h"

#include <algorithm>

#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"

namespace vidconv {
namespace {

// Reports a lack of memory without allocating any.
vidconv_status report_no_memory(vidconv_error& error) {
  error.status = VIDCONV_DEVICE;
  copy_text(error.kind, "memory");
  copy_text(error.message, "out of memory");
  return error.status;
}

// Returns the text of Error::message() without the remedy.
std::string words_of(const Error& error) {
  std::string words = error.act();
  if (!error.value().text().empty()) words += " '" + error.value().text() + "'";
  if (!error.why().empty()) words += ": " + error.why();
  return plain(redacted(words));
}

vidconv_status fill(vidconv_error& error, const Error& failure) {
  const bool interrupted = failure.kind() == MessageKind::interrupted;
  error.status = interrupted ? VIDCONV_CANCELLED : static_cast<vidconv_status>(failure.fault());
  error.column = 0;
  error.frame = failure.frame().value_or(-1);
  copy_text(error.kind, std::string(kind_of(failure.kind()).name));
  copy_text(error.message, words_of(failure));
  copy_text(error.remedy, plain(failure.remedy()));
  return error.status;
}

}  // namespace

vidconv_status report(vidconv_error* error) noexcept {
  vidconv_error own = VIDCONV_INIT(vidconv_error);
  own.frame = -1;
  try {
    fill(own, current_error());
    throw;
  } catch (const ColumnError& failure) {
    own.column = static_cast<std::int32_t>(failure.column());
  } catch (...) {
    // `own` is complete, unless there was no memory to fill it.
    if (own.status == VIDCONV_OK) report_no_memory(own);
  }
  const bool makes_sense =
      error && error->size >= sizeof(vidconv_error) && error->size <= largest_struct;
  if (makes_sense) {
    own.size = error->size;
    std::memset(static_cast<void*>(error), 0, error->size);
    *error = own;
  }
  return own.status;
}

vidconv_status report(vidconv_error* error, const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    return report(error);
  }
}

void refuse_argument(const char* argument, const std::string& what) {
  throw Error(Fault::usage, "cannot use the argument", argument, what, "see <vidconv/vidconv.h>");
}

void check_size(std::size_t size, std::size_t known, const char* argument) {
  if (size < known || size > largest_struct)
    refuse_argument(argument, "its size says " + std::to_string(size) +
                                  " bytes, and the struct has " + std::to_string(known));
}

void check_struct(const void* given, std::size_t size, std::size_t known, const char* argument) {
  check_size(size, known, argument);
  const char* const begin = static_cast<const char*>(given);
  if (std::any_of(begin + known, begin + size, [](char c) { return c != 0; }))
    refuse_argument(argument, "it has members that libvidconv " + std::to_string(VIDCONV_VERSION) +
                                  " does not know, and they are not 0");
}

void copy_text(char* place, std::size_t room, const std::string& text) noexcept {
  std::size_t bytes = std::min(text.size(), room - 1);
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (bytes > 0 && continues(bytes)) --bytes;
  text.copy(place, bytes);
  std::memset(place + bytes, 0, room - bytes);
}

}  // namespace vidconv
