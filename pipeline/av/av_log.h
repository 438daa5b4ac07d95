// Catches what libav* would print on stderr. All lines are verbatim() (printable.h), ready to be
// part of a message.
#pragma once

extern "C" {
#include <libavutil/log.h>
}

#include <cstdarg>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vidconv {

// Serves av_log_set_callback(): keeps the last error line of each thread for check_av(), passes
// lines to the listeners below and drops all else. capture_av_log() (process.h) installs it.
void hear_av_log(void* object, int level, const char* format, std::va_list arguments) noexcept;

// Returns the last error line on this thread and forgets it; empty where there is none.
std::string take_av_line();

// Returns the size of the last chunk of a server's answer that was read on this thread and forgets
// it. 0 where the answer ended as it should; none where it did not come in chunks.
std::optional<std::uint64_t> take_last_chunk();

// Returns whether a server's answer, read on this thread, has ended that had neither a length nor
// chunks, and forgets it.
bool take_end_without_length();

// Hears the warnings and errors of libav* on this thread while it lives: where opening something
// fails, the last line alone may not say why. Of nested objects the innermost hears. Needs
// hear_av_log().
class AvLines {
 public:
  // Hears lines of libav*'s `level` and more severe; where there are `words`, only lines that
  // contain one of them. `words` outlives the object.
  explicit AvLines(std::span<const std::string_view> words = {}, int level = AV_LOG_WARNING);
  ~AvLines();
  AvLines(const AvLines&) = delete;
  AvLines& operator=(const AvLines&) = delete;

  // Returns all lines, joined by "; ".
  const std::string& text() const { return text_; }

  int level() const { return level_; }
  void hear(std::string_view line);

 private:
  AvLines* const before_;
  const std::span<const std::string_view> words_;
  const int level_;
  std::string text_;
};

// Counts the error lines of the libav* objects whose `opaque` is `key` (decoders, also on their own
// threads, and containers) while it lives, and the pictures in which a decoder conceals errors.
// Needs hear_av_log().
class AvErrors {
 public:
  // While it lives, `to` also counts the errors on this thread of objects that libav* made for
  // itself: parsers, bitstream filters, the decoders that probe streams. Sound and text are not
  // decoded here, so errors of such decoders, and of parsers of text, are not counted.
  class Here {
   public:
    explicit Here(AvErrors& to);
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;

   private:
    AvErrors* const before_;
  };

  explicit AvErrors(void* key);
  ~AvErrors();
  AvErrors(const AvErrors&) = delete;
  AvErrors& operator=(const AvErrors&) = delete;

  // Return what was counted so far. Thread-safe.
  std::int64_t count() const;
  std::string first() const;

 private:
  friend struct AvErrorsRegistry;
  void* const key_;
  std::int64_t count_ = 0;
  std::string first_;
};

}  // namespace vidconv
