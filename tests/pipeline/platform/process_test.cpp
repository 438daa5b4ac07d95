// A program that uses the library keeps its signals and its log if it says so.
#include "pipeline/platform/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "pipeline/io/byte_io.h"
#include "pipeline/source/source.h"

extern "C" {
#include <libavutil/log.h>
}

namespace vidconv {
namespace {

bool heard = false;

// Exits, in a process of its own, with 0 if signals and log are still the program's.
void use_library(bool alone) {
  std::signal(SIGPIPE, SIG_DFL);
  av_log_set_callback([](void*, int, const char*, va_list) { heard = true; });
  if (alone) leave_process_alone();
  const auto source = open_source("pattern:16x16#1", {});
  const ByteWriter writer(open("/dev/null", O_WRONLY), "nothing");
  av_log(nullptr, AV_LOG_ERROR, "a line\n");
  const bool kept = heard && std::signal(SIGPIPE, SIG_DFL) == SIG_DFL;
  std::_Exit(kept ? 0 : 1);
}

TEST(ProcessDeathTest, IsLeftAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_library(true), testing::ExitedWithCode(0), "");
}

TEST(ProcessDeathTest, IsChangedElse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_library(false), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace vidconv
