// The one exception of the pipeline: what failed, on which value, why, and what to do about it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace vidconv {

// Whose fault it is. The numbers are the exit codes of the command.
enum class Fault : int {
  internal = 1,      // ours
  usage = 2,         // what was asked for makes no sense
  input = 3,         // the input cannot be read
  output = 4,        // the output cannot be written
  device = 5,        // a device is missing, refuses or ran out of memory
  verification = 6,  // two ways to compute a frame disagree
  damaged = 7,       // frames of the input are missing; thrown only where that is to end the run
};

class Error : public std::runtime_error {
 public:
  // `what`: the act that failed, lower case, no full stop ("cannot open the input").
  // `value`: the file, option or number it failed on; may be empty.
  // `why`: the reason, as far as it is known; may be empty.
  // `remedy`: what a person can do about it; may be empty.
  Error(Fault fault, std::string what, std::string value, std::string why, std::string remedy = {});

  Fault fault() const { return fault_; }
  const std::string& act() const { return what_; }
  const std::string& value() const { return value_; }
  const std::string& why() const { return why_; }
  const std::string& remedy() const { return remedy_; }

  // The frame, counted from 0, that was being worked on. Setting it again changes nothing: the
  // innermost caller knows best.
  std::optional<std::int64_t> frame() const { return frame_; }
  void set_frame(std::int64_t number);

  // One line: "cannot decode 'a.mp4': invalid data (frame 12); cut the input there".
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

 private:
  void compose();

  Fault fault_;
  std::string what_, value_, why_, remedy_;
  std::optional<std::int64_t> frame_;
  std::string message_;
};

}  // namespace vidconv
