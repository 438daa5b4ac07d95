// Lines of FFmpeg's log that decide what vidconv does, because no error code says it. A version may
// put them otherwise: each is that of FFmpeg 5.1 unless told otherwise, and who compiles with a
// version newer than 7.1 is told.
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

// A decoder refuses a size, which follows as WxH (libavutil/imgutils.c).
inline constexpr std::string_view refused_size = "Picture size ";
// A demuxer says these of packets that are broken, beside that it has lost count of them
// (libavformat/mpegts.c).
inline constexpr std::string_view broken_packet[] = {"PES packet size mismatch", "TEI flag set"};

// A playlist has a part whose name ends as none of a video does. Later versions, and updates of
// earlier ones, say "URL X is not in allowed_..." (libavformat/hls.c, dashdec.c).
inline constexpr std::string_view refused_name = "xtension";
inline constexpr std::string_view misnamed_begin = "Filename extension of '",
                                  misnamed_end = "' is not a common multimedia extension";
inline constexpr std::string_view not_allowed_begin = "URL ",
                                  not_allowed_end = " is not in allowed_";
// The first part cannot be opened (libavformat/hls.c).
inline constexpr std::string_view first_segment_begin = "Error when loading first segment '",
                                  first_segment_end = "'";

// A file that ended before its index was written (libavformat/mov.c).
inline constexpr std::string_view missing_index = "moov atom not found";

// Whitelists that we set (libavformat/demux.c, avio.c).
inline constexpr std::string_view refused_format = "Format not on whitelist";
inline constexpr std::string_view refused_protocol_begin = "Protocol '",
                                  refused_protocol_end = "' not on whitelist";
// How many bytes follow of a server's answer that comes in chunks; 0 ends it (libavformat/http.c).
inline constexpr std::string_view chunk = "Chunked encoding data size: ";
// A server's certificate; GnuTLS's words and OpenSSL's, with any first letter.
inline constexpr std::string_view certificate = "ertificate";

}  // namespace vidconv::log_lines
