// Parses specifications as on the command line; files are left to the other target.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!text.starts_with("file:"))
    vidconv::fuzz::check([&] { return vidconv::FilterSpec::parse(text); });
  return 0;
}
