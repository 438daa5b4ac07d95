// Error: the pipeline's one exception says what failed, on which value, why, and what to do about
// it.
//
// Settings are named in backticks, here and in all that the pipeline says: "choose another `codec`"
// names a member of SourceOptions, SinkOptions, EncoderOptions or ProcessorOptions, "see `devices`"
// a list. The pipeline knows no other names: the command turns them into those of its options
// (option_names.h); other programs print them as they are or do the same. Text that users and files
// have written is verbatim() (printable.h): its backticks are doubled.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/base/message.h"
#include "pipeline/base/printable.h"

namespace vidconv {

class Error : public std::runtime_error {
 public:
  // Holds the file, option or number that something failed on: as it is, or with settings in it.
  class Value {
   public:
    Value(std::string_view text) : text_(verbatim(text)) {}    // NOLINT: it is what is meant
    Value(const std::string& text) : text_(verbatim(text)) {}  // NOLINT
    Value(const char* text) : text_(verbatim(text)) {}         // NOLINT
    // Takes "`crf` 20", whose other words are verbatim already.
    static Value naming(std::string text) {
      Value value("");
      value.text_ = std::move(text);
      return value;
    }

    // Returns the text as a part of a message.
    const std::string& text() const { return text_; }

   private:
    std::string text_;
  };

  // `what`: the act that failed, lower case, no full stop ("cannot open the input").
  // `value`: what it failed on; may be empty.
  // `why`: the reason, as far as it is known; may be empty.
  // `remedy`: what a person can do about it; may be empty.
  Error(MessageKind kind, std::string what, Value value, std::string why, std::string remedy = {});
  // Takes the usual kind of such a fault.
  Error(Fault fault, std::string what, Value value, std::string why, std::string remedy = {});

  MessageKind kind() const { return kind_; }
  Fault fault() const { return kind_of(kind_).fault; }
  const std::string& act() const { return what_; }
  const Value& value() const { return value_; }
  const std::string& why() const { return why_; }
  const std::string& remedy() const { return remedy_; }

  // Returns the number of the frame, from 0, that was being worked on. Setting it again changes
  // nothing: the innermost caller knows best.
  std::optional<std::int64_t> frame() const { return frame_; }
  void set_frame(std::int64_t number);

  // Returns one line: "cannot decode 'a.mp4': invalid data (frame 12); cut the input there".
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

 private:
  void compose();

  MessageKind kind_;
  std::string what_, why_, remedy_;
  Value value_;
  std::optional<std::int64_t> frame_;
  std::string message_;
};

// Reports that there was no memory `for_what` ("for a packet"); `value`: how much or which, may be
// empty. Throws Error(memory), which says what can be done.
[[noreturn]] void throw_out_of_memory(const std::string& for_what, const Error::Value& value = "");

// Returns the exception being handled as an Error: of kind memory where the C++ library ran out of
// memory or threads, internal for exceptions that nobody expected. Call it in a catch block only.
Error current_error();

}  // namespace vidconv
