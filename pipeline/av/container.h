// What an output container is and what it can hold.
#pragma once

#include <map>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// The container of an output: `format` by FFmpeg's name, or, where that is empty, what the ending
// of the output's name stands for. Throws Error(usage) for an unknown name, Error(output) where we
// cannot write it.
const AVOutputFormat& choose_container(const std::string& output, const std::string& format);

// Images: a file each, or files with a number in their names (frame%04d.png).
bool is_image_name(const std::string& name);
bool is_numbered(const std::string& name);
std::string numbered(const std::string& name, int number);
const AVOutputFormat* image_container();

// Whether frames have no times of their own, only a rate: the time base is one frame then.
bool has_constant_rate(const AVOutputFormat& container);

// MXF: the first stream is the video.
bool begins_with_video(const AVOutputFormat& container);

// FLV: one video and one sound.
bool holds_one_of_each_kind(const AVOutputFormat& container);

// MP4, QuickTime and their kin.
bool is_mov_family(const AVOutputFormat& container);
bool is_matroska(const AVOutputFormat& container);  // or WebM

// Of that family: names of the tags of a file that have no place of their own there; empty where
// all have. They find one in a list with names (`use_metadata_tags`), which is in place of the
// former: not every player looks there, and a cover has none in it.
std::string tags_without_place(const AVOutputFormat& container, const AVDictionary* tags);

// Whether there are times before 0, which the decoding of frames that are shown later than others
// and the lead-in of sound have.
bool holds_times_before_zero(const AVOutputFormat& container);

// Whether what an encoder of sound puts before the first sample can come before the first picture,
// if need be by all other times being later, which are exact: AVI counts frames instead.
bool holds_lead_in(const AVOutputFormat& container);

// Whether the container itself can say this of a stream; the stream's own data may do so too.
bool can_carry(const AVOutputFormat& container, AVPacketSideDataType type);

bool can_hold(const AVOutputFormat& container, AVCodecID codec);

// Whether new pictures are usually encoded so for this container.
bool can_hold_video(const AVOutputFormat& container, AVCodecID codec);
// Whether they can be, where somebody wants it.
bool may_hold_video(const AVOutputFormat& container, AVCodecID codec);

// Containers without a list of their codecs, whose muxers refuse others when the header is written:
// the streams have to be tried (header_trial.h).
bool tells_in_header(const AVOutputFormat& container);

// Whether a stream may go as it is to what `muxer` writes, beside others that it has to be tried
// with.
bool can_copy(const AVFormatContext& muxer, const AVStream& stream);

// Makes `to` another stream of the same coded data for packets in the time base of `from`.
void copy_stream_description(const AVStream& from, const AVOutputFormat& container, AVStream& to);

// Copies the metadata of a stream, in the words of the container.
void copy_tags(const AVStream& from, const AVOutputFormat& container, AVStream& to);

// Copies programs; `streams` gives for each index of `from` the one of `to`.
void copy_programs(const AVFormatContext& from, const std::map<int, int>& streams,
                   AVFormatContext& to);

// Copies metadata, and the chapters of what is shown from `begin` on, microseconds of `from`, where
// the times of `to` begin.
void copy_description(const AVFormatContext& from, std::int64_t begin, AVFormatContext& to);

}  // namespace vidconv
