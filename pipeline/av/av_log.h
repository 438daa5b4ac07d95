// What libav* would print on stderr. All lines are verbatim() (printable.h), as parts of messages.
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

// A callback for av_log_set_callback(): the last error line of each thread is kept for check_av(),
// those below hear what they listen for, all else is dropped. capture_av_log() (process.h) sets it.
void hear_av_log(void* object, int level, const char* format, std::va_list arguments) noexcept;

// The last error line on this thread, which is forgotten then; empty where there is none.
std::string take_av_line();

// The size of the last chunk of a server's answer that was read on this thread, 0 where it has
// ended as it should; none where it did not come in chunks. Forgets it.
std::optional<std::uint64_t> take_last_chunk();

// Hears the warnings and errors of libav* on this thread while it lives: where opening something
// fails, the last line alone may not say why. Where one is made beside another, the younger hears.
// Needs hear_av_log().
class AvLines {
 public:
  // Where there are `words`, which outlive it, only lines that hold one of them; up to `level` of
  // libav*'s.
  explicit AvLines(std::span<const std::string_view> words = {}, int level = AV_LOG_WARNING);
  ~AvLines();
  AvLines(const AvLines&) = delete;
  AvLines& operator=(const AvLines&) = delete;

  // All of them, joined by "; ".
  const std::string& text() const { return text_; }

  int level() const { return level_; }
  void hear(std::string_view line);

 private:
  AvLines* const before_;
  const std::span<const std::string_view> words_;
  const int level_;
  std::string text_;
};

// Hears the error lines of the libav* objects whose `opaque` is `key` (decoders, also their
// threads, and containers) while it lives, and each picture in which a decoder conceals errors.
// Needs hear_av_log().
class AvErrors {
 public:
  // While it lives, `to` also hears what objects that libav* has made for itself say on this
  // thread: parsers, filters of packets, the decoders that look into streams to describe them.
  // Sound and text are not decoded here, so what decoders of theirs say is not heard, nor what
  // parsers say of text.
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

  // So far; any thread.
  std::int64_t count() const;
  std::string first() const;

 private:
  friend struct AvErrorsRegistry;
  void* const key_;
  std::int64_t count_ = 0;
  std::string first_;
};

}  // namespace vidconv
