// Reads a finished container again: FFmpeg's muxers of rare containers also write what no reader,
// its own included, finds again.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Returns whether a container is so rare that it is to be read again.
bool is_to_be_read_back(const AVOutputFormat& container);

// Returns what a reader of the container misses of the `pictures` of its one video, which is of the
// codec `wanted`; empty where all are there. `written` is complete and still open, and its
// io_open() reads what it has written (PipeOutput). Blocks while it reads the whole of it. Throws
// Error(memory).
std::string missed_by_reader(AVFormatContext& written, AVCodecID wanted, std::int64_t pictures);

}  // namespace vidconv
