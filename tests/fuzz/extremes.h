// Extreme numbers that a header may have as sizes.
#pragma once

#include <string_view>

namespace vidconv::fuzz {

// The numbers lie around the limits of the types that sizes pass through, FFmpeg's and ours.
inline constexpr std::string_view extremes[] = {
    "0",          "1",          "2",          "3",          "7",          "8",
    "-1",         "+5",         "",           "x",          "255",        "256",
    "32767",      "32768",      "65535",      "65536",      "16777215",   "16777216",
    "268435456",  "1073741823", "1073741824", "2147483391", "2147483519", "2147483646",
    "2147483647", "2147483648", "4294967295", "4294967296", "1e9",        "9223372036854775807",
};

}  // namespace vidconv::fuzz
