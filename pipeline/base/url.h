// URLs, as far as they have to be understood before FFmpeg does, and what of them nobody may see.
#pragma once

#include <string>
#include <string_view>

namespace vidconv {

// "http" of "http://host/a.mp4"; empty for a path. As FFmpeg does it.
std::string_view scheme_of(std::string_view url);

// Whether an input is an address and no path: "scheme://..." of another scheme than file.
bool is_url(std::string_view input);

// Whether an address is one of a stream that comes in its own time: udp, tcp, srt, rtmp and the
// like.
bool is_live_address(std::string_view input);

// The path of an input that is no address: without "file:" and "file://".
std::string local_path(std::string_view input);

// A text for people, with passwords of URLs and values of parameters such as "token" in it hidden.
std::string redacted(std::string_view text);

}  // namespace vidconv
