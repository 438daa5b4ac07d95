// What output containers hold of the words about a file: tags, languages, what streams are for,
// chapters.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// Whether a tag of a stream, such as "timecode", has a place there.
bool holds_stream_tag(const AVOutputFormat& container, std::string_view key);

// What `input` says and `container` has no place for, for people; empty where there is nothing.
// `streams`: those that the output has, by index of the input. nullptr: bare pictures. What writers
// of files say about themselves does not count.
std::string words_without_place(const AVFormatContext& input, const std::map<int, int>& streams,
                                const AVOutputFormat* container);

}  // namespace vidconv
