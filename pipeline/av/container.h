// Describes output containers and what they can hold.
#pragma once

#include <map>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Returns the container of an output: `format` by FFmpeg's name, or, where that is empty, the one
// that the ending of the output's name stands for. Throws Error(usage) for an unknown name,
// Error(output) where we cannot write it.
const AVOutputFormat& choose_container(const std::string& output, const std::string& format);

// Images are written one per file; numbered ones have a pattern in their names (frame%04d.png).
bool is_image_name(const std::string& name);
bool is_numbered(const std::string& name);
std::string numbered(const std::string& name, int number);
const AVOutputFormat* image_container();

// Returns whether frames have no times of their own, only a rate: the time base is one frame then.
bool has_constant_rate(const AVOutputFormat& container);

// Returns whether the first stream has to be the video, as in MXF.
bool begins_with_video(const AVOutputFormat& container);

// Returns whether there may be only one video and one sound, as in FLV.
bool holds_one_of_each_kind(const AVOutputFormat& container);

// Returns whether it is MPEG-1's or MPEG-2's video.
bool is_mpeg(AVCodecID codec);
// Returns whether it is MP4, QuickTime or one of their kin.
bool is_mov_family(const AVOutputFormat& container);
bool is_matroska(const AVOutputFormat& container);  // or WebM
bool is_program_stream(const AVOutputFormat& container);

// Returns the names of the tags of a file for which a container of the MOV family has no place of
// its own; empty where all have one. Such tags go to a list with names (`use_metadata_tags`), which
// replaces the usual places: not every player looks there, and it holds no cover.
std::string tags_without_place(const AVOutputFormat& container, const AVDictionary* tags);

// Returns whether there can be times before 0. Decoding of reordered frames and the lead-in of
// sound have such times.
bool holds_times_before_zero(const AVOutputFormat& container);

// Returns whether the samples that a sound encoder puts before the first one can come before the
// first picture, if need be by shifting all other times, which stay exact. AVI counts frames
// instead.
bool holds_lead_in(const AVOutputFormat& container);

// Returns whether the container itself can carry this side data of a stream; the coded data may do
// so too.
bool can_carry(const AVOutputFormat& container, AVPacketSideDataType type);

bool can_hold(const AVOutputFormat& container, AVCodecID codec);

// Returns whether this container is commonly used with new video of that codec.
bool can_hold_video(const AVOutputFormat& container, AVCodecID codec);
// Returns whether it can hold such video, where somebody asks for it.
bool may_hold_video(const AVOutputFormat& container, AVCodecID codec);
// Returns whether no reader finds such video again that this muxer writes with its options:
// Blu-ray's transport streams have no number for Dirac.
bool loses_video(const AVFormatContext& muxer, AVCodecID codec);

// Returns whether readers of a container make of such sound what it was, where the container takes
// it. `has_header`: the codec says something beside its packets.
bool returns_sound(const AVOutputFormat& container, AVCodecID codec, bool has_header);

// Returns whether the container has no list of its codecs and its muxer refuses others when the
// header is written: the streams have to be tried (header_trial.h).
bool tells_in_header(const AVOutputFormat& container);

// Returns whether `muxer` can take a stream copy, as far as is known without the other streams,
// with which it has to be tried.
bool can_copy(const AVFormatContext& muxer, const AVStream& stream);

// Describes `to` as a stream of the same coded data, for packets in the time base of `from`.
void copy_stream_description(const AVStream& from, const AVOutputFormat& container, AVStream& to);

// Copies the metadata of a stream, named as the container names them.
void copy_tags(const AVStream& from, const AVOutputFormat& container, AVStream& to);

// Copies programs; `streams` maps stream indices of `from` to those of `to`.
void copy_programs(const AVFormatContext& from, const std::map<int, int>& streams,
                   AVFormatContext& to);

// Copies metadata, and the chapters that are shown after `begin`, in microseconds of `from`, which
// is where the times of `to` begin.
void copy_description(const AVFormatContext& from, std::int64_t begin, AVFormatContext& to);

}  // namespace vidconv
