#include "pipeline/av/devices.h"

#include <dlfcn.h>

extern "C" {
#include <libavutil/log.h>
}

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

// The library has to be of the same FFmpeg as libavformat: their versions go together.
#define VIDCONV_TEXT_OF(number) #number
#define VIDCONV_TEXT(number) VIDCONV_TEXT_OF(number)
constexpr const char* device_library = "libavdevice.so." VIDCONV_TEXT(LIBAVFORMAT_VERSION_MAJOR);

// Adds the devices to those that libavformat finds. Nothing is undone: libavformat refers to them.
bool load_devices() {
  static const bool loaded = [] {
    void* library = dlopen(device_library, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    auto* add = reinterpret_cast<void (*)()>(dlsym(library, "avdevice_register_all"));
    if (add) add();
    return add != nullptr;
  }();
  return loaded;
}

}  // namespace

bool is_device(const AVInputFormat& format) {
  return format.priv_class && AV_IS_INPUT_DEVICE(format.priv_class->category);
}

bool is_device(const std::string& input, const std::string& format) {
  if (input.starts_with("v4l2:")) return true;
  const AVInputFormat* known = format.empty() ? nullptr : av_find_input_format(format.c_str());
  return known ? is_device(*known) : !format.empty();
}

const AVInputFormat* find_input_format(const std::string& name) {
  if (name.empty()) return nullptr;
  if (const AVInputFormat* format = av_find_input_format(name.c_str())) return format;
  const bool loaded = load_devices();
  if (const AVInputFormat* device = av_find_input_format(name.c_str())) return device;
  throw Error(
      MessageKind::command_line, "there is no input format", name,
      loaded ? ""
             : std::string("and if it is a device: ") + device_library + " cannot be loaded here",
      loaded ? "'ffmpeg -demuxers' and 'ffmpeg -devices' list them"
             : "'ffmpeg -demuxers' lists them; for devices install libavdevice, or use a pipe");
}

}  // namespace vidconv
