// Reads and writes whole files.
#pragma once

#include <string>
#include <string_view>

namespace vidconv::test {

// Both fail the test if the file cannot be read or written.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

}  // namespace vidconv::test
