// Tells which metadata of a file output containers hold: tags, languages, dispositions, chapters.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pipeline/av/av.h"

namespace vidconv {

// Returns whether the container holds a tag of a stream, such as "timecode".
bool holds_stream_tag(const AVOutputFormat& container, std::string_view key);

// Describes, for people, the metadata of `input` that `container` cannot hold; empty where there is
// none. `streams` has the output's streams by their index in the input. `container` is nullptr for
// bare pictures. Words that writers of files add about themselves do not count.
std::string words_without_place(const AVFormatContext& input, const std::map<int, int>& streams,
                                const AVOutputFormat* container);

}  // namespace vidconv
