#include "pipeline/base/error.h"

#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace vidconv {

Error::Error(Fault fault, std::string what, Value value, std::string why, std::string remedy)
    : Error(usual_kind(fault), std::move(what), std::move(value), std::move(why),
            std::move(remedy)) {}

Error::Error(MessageKind kind, std::string what, Value value, std::string why, std::string remedy)
    : std::runtime_error(what),
      kind_(kind),
      what_(std::move(what)),
      why_(std::move(why)),
      remedy_(std::move(remedy)),
      value_(std::move(value)) {
  compose();
}

void Error::set_frame(std::int64_t number) {
  if (frame_) return;
  frame_ = number;
  compose();
}

void Error::compose() {
  message_ = what_;
  if (!value_.text().empty()) message_ += " '" + value_.text() + "'";
  if (!why_.empty()) message_ += ": " + why_;
  if (frame_) message_ += " (frame " + std::to_string(*frame_) + ")";
  if (!remedy_.empty()) message_ += "; " + remedy_;
}

void throw_out_of_memory(const std::string& for_what, const Error::Value& value) {
  throw Error(
      MessageKind::memory, "out of memory " + for_what, value, "",
      "try fewer `slots`, fewer `threads`, fewer sessions of `decoder` nvdec:N, or a smaller "
      "picture");
}

Error current_error() {
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      throw_out_of_memory("for what has to be kept");
    }
  } catch (const Error& error) {
    return error;
  } catch (const std::filesystem::filesystem_error& error) {
    return {Fault::input, "cannot reach", error.path1().string(), error.code().message()};
  } catch (const std::system_error& error) {
    // Streams and locks throw these too.
    if (error.code() == std::errc::resource_unavailable_try_again)
      return {MessageKind::memory, "cannot start a thread", "", error.what(),
              "try fewer `threads`, or a higher limit of processes (ulimit -u)"};
    return {MessageKind::internal, "internal error", "", error.what(), "please report it"};
  } catch (const std::exception& exception) {
    return {MessageKind::internal, "internal error", "", exception.what(), "please report it"};
  } catch (...) {
    return {MessageKind::internal, "internal error", "", "of no known kind", "please report it"};
  }
}

}  // namespace vidconv
