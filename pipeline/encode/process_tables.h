// Tables that a library of encoders has once in a process.
#pragma once

#include <shared_mutex>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// libxvid writes its tables anew whenever an encoder is opened: no other of the process may encode
// meanwhile. Of other encoders these locks hold nothing.
class ProcessTables {
 public:
  using Writing = std::unique_lock<std::shared_mutex>;
  using Reading = std::shared_lock<std::shared_mutex>;

  // While an encoder is opened.
  static Writing writing(const AVCodec& encoder) {
    return is_xvid(encoder) ? Writing(xvid()) : Writing();
  }
  // While it works.
  static Reading reading(const AVCodec& encoder) {
    return is_xvid(encoder) ? Reading(xvid()) : Reading();
  }

 private:
  static bool is_xvid(const AVCodec& encoder) {
    return std::string_view(encoder.name) == "libxvid";
  }
  static std::shared_mutex& xvid() {
    static std::shared_mutex mutex;
    return mutex;
  }
};

}  // namespace vidconv
