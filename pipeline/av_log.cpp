#include "pipeline/av_log.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
}

#include <cstdarg>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/url.h"

namespace vidconv {

// All AvErrors that live, and what they have heard. libav* logs from threads of its own.
struct AvErrorsRegistry {
  std::mutex mutex;
  std::vector<AvErrors*> listeners;

  static AvErrorsRegistry& get() {
    static AvErrorsRegistry registry;
    return registry;
  }

  // Those that listen for the key, or this one.
  void tell(const void* key, const AvErrors* one, const std::string& line) {
    const std::lock_guard lock(mutex);
    for (AvErrors* listener : listeners)
      if ((listener == one || listener->key_ == key) && listener->count_++ == 0)
        listener->first_ = line;
  }
};

namespace {

// The last error line of libav* on this thread that nobody has asked for yet.
thread_local std::string last_line;
// Of the youngest AvLines on this thread.
thread_local std::string* heard = nullptr;
// Of the youngest AvErrors::Here on this thread.
thread_local AvErrors* here = nullptr;

void tell_listeners(void* object, const std::string& line) {
  // Some demuxers complain in the name of an object that has no class yet.
  const AVClass* const object_class = object ? *static_cast<AVClass**>(object) : nullptr;
  const std::string_view name = object_class ? object_class->class_name : "";
  const void* key = nullptr;
  if (name == "AVFormatContext") key = static_cast<AVFormatContext*>(object)->opaque;
  if (name == "AVCodecContext") {
    const AVCodecContext& codec = *static_cast<AVCodecContext*>(object);
    key = codec.opaque;
    if (!key &&
        (codec.codec_type == AVMEDIA_TYPE_AUDIO || codec.codec_type == AVMEDIA_TYPE_SUBTITLE))
      return;
  }
  if (key || here) AvErrorsRegistry::get().tell(key, key ? nullptr : here, line);
}

void keep(void* object, int level, const char* format, va_list arguments) {
  if (level > (heard ? AV_LOG_WARNING : AV_LOG_ERROR)) return;
  char line[1024];
  static thread_local int at_start = 1;
  av_log_format_line2(object, level, format, arguments, line, sizeof line, &at_start);
  const std::string shown = redacted(line);
  std::string_view text = shown;
  // "[libx264 @ 0x5581]" says nothing to a person that the name alone does not.
  if (const auto at = text.find(" @ 0x"); text.starts_with('[') && at != text.npos)
    if (const auto end = text.find("] ", at); end != text.npos) text.remove_prefix(end + 2);
  while (text.ends_with('\n') || text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return;
  if (heard) heard->append(heard->empty() ? "" : "; ").append(text);
  if (level > AV_LOG_ERROR) return;
  last_line = text;
  tell_listeners(object, last_line);
}

// Without memory a line is lost, which is better than an exception among libav*'s frames.
void keep_line(void* object, int level, const char* format, va_list arguments) noexcept {
  try {
    keep(object, level, format, arguments);
  } catch (...) {
  }
}

}  // namespace

void capture_av_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(keep_line); });
}

std::string take_av_line() { return std::exchange(last_line, {}); }

AvLines::AvLines() : before_(std::exchange(heard, &text_)) {}
AvLines::~AvLines() { heard = before_; }

AvErrors::Here::Here(AvErrors& to) : before_(std::exchange(here, &to)) {}
AvErrors::Here::~Here() { here = before_; }

AvErrors::AvErrors(const void* key) : key_(key) {
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
