// Parses URLs as far as is needed before FFmpeg does, and hides the secrets in them.
#pragma once

#include <string>
#include <string_view>

namespace vidconv {

// Returns "http" for "http://host/a.mp4"; empty for a path. Parses as FFmpeg does.
std::string_view scheme_of(std::string_view url);

// Returns whether an input is an address and no path: "scheme://..." with a scheme other than file.
bool is_url(std::string_view input);

// Returns whether it is the address of a live stream: udp, tcp, srt, rtmp and the like.
bool is_live_address(std::string_view input);

// Returns the path of an input that is no address: without "file:" and "file://".
std::string local_path(std::string_view input);

// Hides passwords in URLs and the values of parameters such as "token", for people to read.
std::string redacted(std::string_view text);

}  // namespace vidconv
