// Reads the bytes of a kernel file: text, PGM or PNG.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  vidconv::fuzz::check([&] { return vidconv::FilterSpec::parse_file("k", bytes); });
  return 0;
}
