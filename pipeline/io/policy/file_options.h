// Tells options of FFmpeg's encoders, containers and inputs that can name files, for those who take
// options from others than the user.
#pragma once

#include <string>

namespace vidconv {

// Whether a value of an encoder's option can be the name of a file, or it is not known that it
// cannot. Options of libraries below, such as x264-params, are looked into.
bool encoder_option_may_name_file(const std::string& key, const std::string& value);
// The same of a container's options, and of those of an input's format or address.
bool muxer_option_may_name_file(const std::string& key);
bool input_option_may_name_file(const std::string& key);

}  // namespace vidconv
