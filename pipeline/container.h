// What an output container is and what it can hold.
#pragma once

#include <string>

#include "pipeline/av.h"
#include "pipeline/sink.h"

namespace vidconv {

// The container that the user means: SinkOptions::format, or the ending of the name. Throws
// Error(usage) for an unknown name, Error(output) where we cannot write it.
const AVOutputFormat& choose_container(const std::string& output, const SinkOptions& options);

// Whether frames have no times of their own, only a rate: the time base is one frame then.
bool has_constant_rate(const AVOutputFormat& container);

bool can_hold(const AVOutputFormat& container, AVCodecID codec);

// Whether the container can hold a stream as it is. Finds out by trying where asking does not help.
bool can_copy(const AVOutputFormat& container, const AVStream& stream);

// Makes `to` another stream of the same coded data for packets in the time base of `from`.
void copy_stream_description(const AVStream& from, const AVOutputFormat& container, AVStream& to);

// Copies chapters and metadata.
void copy_description(const AVFormatContext& from, AVFormatContext& to);

}  // namespace vidconv
