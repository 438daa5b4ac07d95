// Tells which options of FFmpeg's encoders, containers and inputs can name files, for programs that
// take options from others than the user.
#pragma once

#include <string>

namespace vidconv {

// Returns whether a value of an encoder's option can be a file's name, or may be one for all that
// is known. Looks into lists of library options, such as x264-params.
bool encoder_option_may_name_file(const std::string& key, const std::string& value);
// Return likewise for a container's options, and for those of an input's format or address.
bool muxer_option_may_name_file(const std::string& key);
bool input_option_may_name_file(const std::string& key);

}  // namespace vidconv
