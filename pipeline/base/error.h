// The one exception of the pipeline: what failed, on which value, why, and what to do about it.
//
// Settings are named in backticks, here and in all that the pipeline says: "choose another
// `codec`", after the members of SourceOptions, SinkOptions, EncoderOptions and ProcessorOptions,
// "see `devices`" after lists. The pipeline knows no other names: the command turns them into those
// of its options (src/option_names.h), other programs print them as they are or do the same.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "pipeline/base/message.h"

namespace vidconv {

class Error : public std::runtime_error {
 public:
  // `what`: the act that failed, lower case, no full stop ("cannot open the input").
  // `value`: the file, option or number it failed on; may be empty.
  // `why`: the reason, as far as it is known; may be empty.
  // `remedy`: what a person can do about it; may be empty.
  Error(Message kind, std::string what, std::string value, std::string why,
        std::string remedy = {});
  // Of the usual kind of such a fault.
  Error(Fault fault, std::string what, std::string value, std::string why, std::string remedy = {});

  Message kind() const { return kind_; }
  Fault fault() const { return kind_of(kind_).fault; }
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

  Message kind_;
  std::string what_, value_, why_, remedy_;
  std::optional<std::int64_t> frame_;
  std::string message_;
};

// There was no memory `for_what` ("for a packet"); `value`: how much or which, may be empty. Throws
// Error(memory), which says what can be done.
[[noreturn]] void throw_out_of_memory(const std::string& for_what, const std::string& value = {});

// What is being handled, as an Error: of kind memory where the library of C++ had none, or no
// thread; internal where nobody has thought of it. Only in a catch block.
Error current_error();

}  // namespace vidconv
