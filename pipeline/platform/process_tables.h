// Locks the tables that some encoder libraries have once in a process.
#pragma once

#include <shared_mutex>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// libxvid rewrites its tables whenever an encoder is opened: no other one in the process may encode
// meanwhile. SVT-AV1 1.4 makes its table of processors when an encoder is opened and frees it when
// one is closed: only one at a time may do either. For other encoders nothing is locked.
class ProcessTables {
 public:
  using Writing = std::unique_lock<std::shared_mutex>;
  using Reading = std::shared_lock<std::shared_mutex>;

  // Returns the lock to hold while an encoder is opened, and while one is closed.
  static Writing writing(const AVCodec& encoder) {
    std::shared_mutex* const tables = of(encoder);
    return tables ? Writing(*tables) : Writing();
  }
  // Returns the lock to hold while an encoder works.
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
