// FFmpeg's log decides some things, because no error code says them: whether packets are damaged,
// why an input or an option is refused. A version may put a line otherwise, and nothing would fail
// then but vidconv's judgement. So all of them are here, with the versions whose sources have them
// so, and tests/pipeline/av/log_lines_test.cpp makes FFmpeg say each.
//
// CMake reads the two numbers below and refuses a version that is not among them; a program that is
// built with one all the same says so in each run (untried_ffmpeg()).
#pragma once

#include <string>
#include <string_view>

namespace vidconv::log_lines {

// Major versions of libavformat: FFmpeg 5.1 to 9. The sources of 6.1.1, 7.1.5 and 9.0.2 were read,
// the lines of 5.1.9 heard; nobody tried 8, which lies between two that say the same.
inline constexpr int first_tried = 59, last_tried = 63;

// Classes of the objects that complain: a decoder or encoder, a container, and whoever looks at the
// size of a picture on their behalf (libavutil/imgutils.c).
inline constexpr std::string_view of_codec = "AVCodecContext", of_container = "AVFormatContext",
                                  of_sizes = "IMGUTILS";

// A decoder refuses a size, which follows as WxH (libavutil/imgutils.c).
inline constexpr std::string_view refused_size = "Picture size ";
// It is refused because of `max_pixels`, which follows (libavutil/imgutils.c).
inline constexpr std::string_view beyond_limit = " exceeds specified max pixel count ";
// A decoder paints over an error, and says so as if that were nothing (error_resilience.c).
inline constexpr std::string_view concealed = "concealing ";
// A demuxer says these of packets that are broken, beside that it has lost count of them
// (libavformat/mpegts.c).
inline constexpr std::string_view broken_packet[] = {"PES packet size mismatch", "TEI flag set"};

// Errors of a container that lose neither packets nor frames: a track of titles that was left out
// where the file was copied (libavformat/mov.c); the streams of a broadcast's program come before
// the program itself, which only FFmpeg 9 complains of (libavformat/avformat.c).
inline constexpr std::string_view no_damage[] = {"Referenced QT chapter track not found",
                                                 "no program with id "};

// A playlist has a part whose name ends as none of a video does: "Filename extension of 'X' is not
// a common multimedia extension", and from 7.1.1 on "URL X is not in allowed_segment_extensions"
// too, which updates of earlier ones have as well (libavformat/hls.c, dashdec.c).
inline constexpr std::string_view refused_name = "xtension";
inline constexpr std::string_view misnamed_begin = "Filename extension of '",
                                  misnamed_end = "' is not a common multimedia extension";
inline constexpr std::string_view not_allowed_begin = "URL ",
                                  not_allowed_end = " is not in allowed_";
// A playlist that is not named as one is none ("and non standard mime type"): not in 5.1, which
// asks us for its parts (libavformat/hls.c).
inline constexpr std::string_view unnamed_playlist =
    "Not detecting m3u8/hls with non standard extension";
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

// An encoder has no threads for frames, for a reason that is said before
// (libavcodec/frame_thread_encoder.c).
inline constexpr std::string_view no_frame_threads = "ff_frame_thread_encoder_init failed";
// A container cannot be written into a pipe; each one's words have this ("muxer does not support
// non seekable output", libavformat/*enc.c).
inline constexpr std::string_view wants_to_seek = "seekable";

}  // namespace vidconv::log_lines

namespace vidconv {

// Says that the libavformat at hand is none of those; empty where it is.
std::string untried_ffmpeg();

}  // namespace vidconv
