// Functions of the library as a whole.
#include <vidconv/vidconv.h>

#include "kernels/plan/numerics.h"
#include "pipeline/av/av_log.h"
#include "pipeline/av/format.h"
#include "pipeline/device/cuda.h"

int vidconv_version(void) { return VIDCONV_VERSION; }

const char* vidconv_version_text(void) { return VIDCONV_VERSION_TEXT; }

int vidconv_numerics(void) { return vidconv::numerics_version; }

const char* vidconv_format_name(size_t index) {
  const auto table = vidconv::formats();
  return index < table.size() ? table[index].name.c_str() : nullptr;
}

// leave_process_alone() keeps the pipeline from setting this handler unasked.
void vidconv_hear_libav(void) { av_log_set_callback(vidconv::hear_av_log); }

int vidconv_cuda_devices(void) {
  try {
    return static_cast<int>(vidconv::cuda_devices().devices.size());
  } catch (...) {
    return 0;
  }
}
