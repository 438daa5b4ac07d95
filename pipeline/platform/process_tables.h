// Tables that a library of encoders has once in a process.
#pragma once

#include <shared_mutex>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// libxvid writes its tables anew whenever an encoder is opened: no other of the process may encode
// meanwhile. SVT-AV1 1.4 makes its table of processors when an encoder is opened and frees it when
// one is closed: one at a time may do either. Of other encoders these locks hold nothing.
class ProcessTables {
 public:
  using Writing = std::unique_lock<std::shared_mutex>;
  using Reading = std::shared_lock<std::shared_mutex>;

  // While an encoder is opened, and while one is closed.
  static Writing writing(const AVCodec& encoder) {
    std::shared_mutex* const tables = of(encoder);
    return tables ? Writing(*tables) : Writing();
  }
  // While it works.
  static Reading reading(const AVCodec& encoder) {
    return is(encoder, "libxvid") ? Reading(*of(encoder)) : Reading();
  }

 private:
  static bool is(const AVCodec& encoder, std::string_view name) { return encoder.name == name; }
  static std::shared_mutex* of(const AVCodec& encoder) {
    static std::shared_mutex xvid, svt_av1;
    return is(encoder, "libxvid") ? &xvid : is(encoder, "libsvtav1") ? &svt_av1 : nullptr;
  }
};

}  // namespace vidconv
