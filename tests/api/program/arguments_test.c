/* Invalid arguments to every function give an error or nothing at all, never a crash. Prints the
 * names of the functions that were tried, one a line, for library_test.py. */
#include "arguments.h"

static void library(void) {
  tried("vidconv_version");
  CHECK(vidconv_version() == VIDCONV_VERSION);
  tried("vidconv_numerics");
  tried("vidconv_format_name");
  CHECK(vidconv_numerics() == 1);
  tried("vidconv_version_text");
  CHECK(strchr(vidconv_version_text(), '.') != NULL);
  tried("vidconv_cuda_devices");
  CHECK(vidconv_cuda_devices() >= 0);
  tried("vidconv_hear_libav");
  vidconv_hear_libav();
  vidconv_hear_libav();
}

int main(void) {
  int failures;
  library();
  failures = check_failures + filter_arguments() + plan_arguments() + video_arguments();
  return failures ? 1 : 0;
}
