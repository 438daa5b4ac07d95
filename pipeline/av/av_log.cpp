#include "pipeline/av/av_log.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
}

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/av/log_lines.h"
#include "pipeline/base/printable.h"
#include "pipeline/base/url.h"

namespace vidconv {

// Lists all live AvErrors; it has a lock because libav* logs from threads of its own.
struct AvErrorsRegistry {
  std::mutex mutex;
  std::vector<AvErrors*> listeners;

  static AvErrorsRegistry& get() {
    static AvErrorsRegistry registry;
    return registry;
  }

  // Counts `line` for all that listen for `key`, and for `one`.
  void add(const void* key, const AvErrors* one, const std::string& line) {
    const std::lock_guard lock(mutex);
    for (AvErrors* errors : listeners)
      if ((errors == one || errors->key_ == key) && errors->count_++ == 0) errors->first_ = line;
  }
};

namespace {

// The last error line of libav* on this thread that nobody has asked for yet.
thread_local std::string last_line;
thread_local std::optional<std::uint64_t> last_chunk;
thread_local bool has_ended_without_length = false;
// The innermost AvLines and AvErrors::Here of this thread.
thread_local AvLines* listener = nullptr;
thread_local AvErrors* here = nullptr;

// `to_any` also tells the thread's AvErrors::Here about objects that have no key.
void report_to_listeners(void* object, const std::string& line, bool to_any) {
  // Some demuxers complain in the name of an object that has no class yet.
  const AVClass* const object_class = object ? *static_cast<AVClass**>(object) : nullptr;
  const std::string_view name = object_class ? object_class->class_name : "";
  if (name == log_lines::of_sizes &&
      object_class->parent_log_context_offset != 0)  // sizes of pictures
    return report_to_listeners(*reinterpret_cast<void**>(static_cast<std::byte*>(object) +
                                                         object_class->parent_log_context_offset),
                               line, to_any);
  const void* key = nullptr;
  if (name == log_lines::of_container) key = static_cast<AVFormatContext*>(object)->opaque;
  if (name == log_lines::of_codec) {
    AVCodecContext& codec = *static_cast<AVCodecContext*>(object);
    key = codec.opaque;
    // Parsers report on sound that is copied; an open sound decoder without a key only describes a
    // stream.
    if (!key && (codec.codec_type == AVMEDIA_TYPE_SUBTITLE ||
                 (codec.codec_type == AVMEDIA_TYPE_AUDIO && avcodec_is_open(&codec))))
      return;
  }
  if (key || (here && to_any)) AvErrorsRegistry::get().add(key, key ? nullptr : here, line);
}

void keep(void* object, int level, const char* format, va_list arguments) {
  if (level == AV_LOG_TRACE) {
    if (!std::string_view(format).starts_with(log_lines::chunk)) return;
    va_list copy;
    va_copy(copy, arguments);
    last_chunk = va_arg(copy, std::uint64_t);
    va_end(copy);
    return;
  }
  if (level == AV_LOG_ERROR && std::string_view(format).starts_with(log_lines::ends_early)) {
    va_list copy;
    va_copy(copy, arguments);
    va_arg(copy, std::uint64_t);
    has_ended_without_length = va_arg(copy, std::uint64_t) == UINT64_MAX;
    va_end(copy);
    if (has_ended_without_length) return;
  }
  const bool concealed =
      level == AV_LOG_INFO && std::string_view(format).starts_with(log_lines::concealed);
  if (level > (listener ? listener->level() : AV_LOG_ERROR) && !concealed) return;
  char line[1024];
  static thread_local int at_start = 1;
  av_log_format_line2(object, level, format, arguments, line, sizeof line, &at_start);
  const std::string shown = redacted(line);
  std::string_view text = shown;
  // "[libx264 @ 0x5581]" says nothing to a person that the name alone does not.
  while (text.starts_with('[')) {
    const auto end = text.find("] ");
    if (text.substr(0, end).find(" @ 0x") == text.npos || end == text.npos) break;
    text.remove_prefix(end + 2);
  }
  while (text.ends_with('\n') || text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return;
  const std::string words = verbatim(text);
  if (listener && level <= listener->level()) listener->hear(words);
  if (concealed) return report_to_listeners(object, words, false);
  if (level > AV_LOG_ERROR) return;
  last_line = words;
  const auto is_said = [&](std::string_view of) { return words.find(of) != words.npos; };
  if (!std::ranges::any_of(log_lines::no_damage, is_said))
    report_to_listeners(object, last_line, true);
}

}  // namespace

// Without memory a line is lost, which is better than an exception among libav*'s frames.
void hear_av_log(void* object, int level, const char* format, std::va_list arguments) noexcept {
  try {
    keep(object, level, format, arguments);
  } catch (...) {
  }
}

std::string take_av_line() { return std::exchange(last_line, {}); }

bool take_end_without_length() { return std::exchange(has_ended_without_length, false); }

std::optional<std::uint64_t> take_last_chunk() { return std::exchange(last_chunk, std::nullopt); }

AvLines::AvLines(std::span<const std::string_view> words, int level)
    : before_(std::exchange(listener, this)), words_(words), level_(level) {}
AvLines::~AvLines() { listener = before_; }

void AvLines::hear(std::string_view line) {
  const auto holds = [&](std::string_view words) { return line.find(words) != line.npos; };
  if (words_.empty() || std::ranges::any_of(words_, holds))
    text_.append(text_.empty() ? "" : "; ").append(line);
}

AvErrors::Here::Here(AvErrors& to) : before_(std::exchange(here, &to)) {}
AvErrors::Here::~Here() { here = before_; }

AvErrors::AvErrors(void* key) : key_(key) {
  AvErrorsRegistry& registry = AvErrorsRegistry::get();
  const std::lock_guard lock(registry.mutex);
  registry.listeners.push_back(this);
}

AvErrors::~AvErrors() {
  AvErrorsRegistry& registry = AvErrorsRegistry::get();
  const std::lock_guard lock(registry.mutex);
  std::erase(registry.listeners, this);
}

std::int64_t AvErrors::count() const {
  const std::lock_guard lock(AvErrorsRegistry::get().mutex);
  return count_;
}

std::string AvErrors::first() const {
  const std::lock_guard lock(AvErrorsRegistry::get().mutex);
  return first_;
}

}  // namespace vidconv
