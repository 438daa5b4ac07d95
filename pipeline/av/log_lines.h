// Lines of FFmpeg's log that decide what vidconv does, because no error code says it. A version may
// put them otherwise: the tests have run with 5.1 to 7.1, and who compiles with a newer one is
// told.
#pragma once

extern "C" {
#include <libavformat/version.h>
#include <libavformat/version_major.h>
}

#include <string_view>

#if LIBAVFORMAT_VERSION_MAJOR > 61
#pragma GCC warning "newer than FFmpeg 7.1: has its log the lines of log_lines.h still?"
#endif

namespace vidconv::log_lines {

// A decoder refuses a size, which follows as WxH; all versions (libavutil/imgutils.c).
inline constexpr std::string_view refused_size = "Picture size ";
// What a demuxer says of packets that are broken, beside that it has lost count of them; all
// versions (libavformat/mpegts.c).
inline constexpr std::string_view broken_packet[] = {"PES packet size mismatch", "TEI flag set"};

// A playlist has a part whose name ends as none of a video does. "URL X is not in allowed_..." from
// 7.1.1 and in updates of earlier ones, the others before that (libavformat/hls.c, dashdec.c).
inline constexpr std::string_view refused_name = "xtension";
inline constexpr std::string_view misnamed_begin = "Filename extension of '",
                                  misnamed_end = "' is not a common multimedia extension";
inline constexpr std::string_view not_allowed_begin = "URL ",
                                  not_allowed_end = " is not in allowed_";
// All versions (libavformat/hls.c).
inline constexpr std::string_view first_segment_begin = "Error when loading first segment '",
                                  first_segment_end = "'";

// Whitelists that we set; all versions (libavformat/demux.c, avio.c).
inline constexpr std::string_view refused_format = "Format not on whitelist";
inline constexpr std::string_view refused_protocol_begin = "Protocol '",
                                  refused_protocol_end = "' not on whitelist";
// A server's certificate; GnuTLS's words and OpenSSL's, with any first letter.
inline constexpr std::string_view certificate = "ertificate";

}  // namespace vidconv::log_lines
