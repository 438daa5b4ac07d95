// Opens a camera or another device of FFmpeg's: a container whose packets come in their own time.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pipeline/av/devices.h"
#include "pipeline/source/source_kinds.h"

namespace vidconv {
namespace {

constexpr std::string_view camera = "v4l2:";

void check_camera(const std::string& path) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw Error(MessageKind::input_missing, "cannot open the camera", path, why, remedy);
  };
  if (path.empty()) refuse("it has no name", "name one, such as v4l2:/dev/video0");
  if (access(path.c_str(), F_OK) != 0)
    refuse("there is no such device", "'v4l2-ctl --list-devices' lists cameras");
  if (access(path.c_str(), R_OK | W_OK) != 0)
    refuse(std::strerror(errno), "be in the group that may use it, often 'video'");
}

}  // namespace

std::unique_ptr<Source> open_device_source(const std::string& input, const SourceOptions& options) {
  SourceOptions with = options;
  std::string name = input;
  if (input.starts_with(camera)) {
    with.format = "video4linux2";
    name = input.substr(camera.size());
    check_camera(name);
  }
  const AVInputFormat* format = find_input_format(with.format);
  if (!is_device(*format)) throw Error(Fault::internal, "it is no device", with.format, "");
  return open_container(name, nullptr, with);
}

}  // namespace vidconv
