#include "api/c/device_frames.h"

#include <string>
#include <utility>

namespace vidconv {

int device_of_frames(const Settings& settings, const char* act) {
  const DeviceRequest& device = settings.device;
  if (device.kind != DeviceRequest::Kind::cuda || device.all || device.indices.size() != 1)
    throw Error(Fault::usage, act, "",
                "`device` is " + device.text + ", and frames lie in the memory of one CUDA device",
                "set `device` to cuda, or to cuda:N");
  for (const auto& [looks, name] : {std::pair(settings.verify_every.has_value(), "verify"),
                                    {settings.compare.has_value(), "compare"},
                                    {!names_of(settings.measures).empty(), "measure"},
                                    {!settings.audit_file.empty(), "audit"}})
    if (looks)
      throw Error(Fault::usage, act, "", std::string("`") + name + "` looks at frames on the CPU",
                  "leave that out");
  return device.indices[0];
}

}  // namespace vidconv
