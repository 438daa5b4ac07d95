// Lists the lines of FFmpeg's log that decide something because no error code does: whether packets
// are damaged, why an input or an option is refused. If a version words a line differently, nothing
// fails but vidconv's judgement. So all of them are here, with the versions whose sources have
// them, and tests/pipeline/av/log_lines_test.cpp makes FFmpeg print each.
//
// CMake reads the two numbers below and refuses a version outside them; a program that is built
// with one all the same says so in each run (untried_ffmpeg()).
#pragma once

#include <string>
#include <string_view>

namespace vidconv::log_lines {

// Major versions of libavformat: FFmpeg 5.1 to 9. The sources of 6.1.1, 7.1.5 and 9.0.2 were read,
// and 5.1.9 was run; 8 was not tried, but the versions on both sides of it agree.
inline constexpr int first_tried = 59, last_tried = 63;

// Classes of the objects that complain: a decoder or encoder, a container, and the check of a
// picture's size on their behalf (libavutil/imgutils.c).
inline constexpr std::string_view of_codec = "AVCodecContext", of_container = "AVFormatContext",
                                  of_sizes = "IMGUTILS";

// A decoder refuses a size; WxH follows (libavutil/imgutils.c).
inline constexpr std::string_view refused_size = "Picture size ";
// The size is beyond `max_pixels`, which follows (libavutil/imgutils.c).
inline constexpr std::string_view beyond_limit = " exceeds specified max pixel count ";
// A decoder conceals an error, and logs it as mere information (error_resilience.c).
inline constexpr std::string_view concealed = "concealing ";
// A demuxer logs these for broken packets, even where it does not mark them corrupt
// (libavformat/mpegts.c).
inline constexpr std::string_view broken_packet[] = {"PES packet size mismatch", "TEI flag set"};

// Errors of a container that lose neither packets nor frames: a chapter track that was left out
// when the file was copied (libavformat/mov.c); a broadcast's streams that come before their
// program, which only FFmpeg 9 reports (libavformat/avformat.c).
inline constexpr std::string_view no_damage[] = {"Referenced QT chapter track not found",
                                                 "no program with id "};

// A playlist has a segment whose name does not end like a video's: "Filename extension of 'X' is
// not a common multimedia extension", and from 7.1.1 on, and in updates of earlier versions, "URL X
// is not in allowed_segment_extensions" (libavformat/hls.c, dashdec.c).
inline constexpr std::string_view refused_name = "xtension";
inline constexpr std::string_view misnamed_begin = "Filename extension of '",
                                  misnamed_end = "' is not a common multimedia extension";
inline constexpr std::string_view not_allowed_begin = "URL ",
                                  not_allowed_end = " is not in allowed_";
// A playlist is rejected because it is not named as one ("and non standard mime type"). 5.1 does
// not do so; it asks us for the segments (libavformat/hls.c).
inline constexpr std::string_view unnamed_playlist =
    "Not detecting m3u8/hls with non standard extension";
// The first segment cannot be opened (libavformat/hls.c).
inline constexpr std::string_view first_segment_begin = "Error when loading first segment '",
                                  first_segment_end = "'";

// The file ended before its index was written (libavformat/mov.c).
inline constexpr std::string_view missing_index = "moov atom not found";

// Whitelists that we set refused something (libavformat/demux.c, avio.c).
inline constexpr std::string_view refused_format = "Format not on whitelist";
inline constexpr std::string_view refused_protocol_begin = "Protocol '",
                                  refused_protocol_end = "' not on whitelist";
// A server's answer comes in chunks; the size of the next one follows, and 0 ends it
// (libavformat/http.c).
inline constexpr std::string_view chunk = "Chunked encoding data size: ";
// A server has closed the connection at one place and should have at another, which are numbers. An
// answer without a length should end at the largest number, so that every one ends early
// (libavformat/http.c).
inline constexpr std::string_view ends_early = "Stream ends prematurely at ";
// A server's certificate was refused; both GnuTLS and OpenSSL have this word, with either first
// letter.
inline constexpr std::string_view certificate = "ertificate";

// An encoder has no frame threads, for a reason that is logged before
// (libavcodec/frame_thread_encoder.c).
inline constexpr std::string_view no_frame_threads = "ff_frame_thread_encoder_init failed";
// A container cannot be written to a pipe; all muxers' words contain this ("muxer does not support
// non seekable output", libavformat/*enc.c).
inline constexpr std::string_view wants_to_seek = "seekable";

}  // namespace vidconv::log_lines

namespace vidconv {

// Says that the libavformat at hand is not among the tried versions; empty where it is.
std::string untried_ffmpeg();

}  // namespace vidconv
