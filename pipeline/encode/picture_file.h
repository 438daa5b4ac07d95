// Writes one picture to a file: PNG, JPEG, or another kind that FFmpeg has an encoder for.
#pragma once

#include <string>

#include "pipeline/av/av.h"
#include "pipeline/io/partial_file.h"

namespace vidconv {

// Writes the kind of file that the ending of `path` means. Returns its size in bytes. Throws
// Error(usage) for an ending that means no kind of picture, Error(output) for a file that cannot be
// written.
std::int64_t write_picture(const AVFrame& picture, const std::string& path,
                           const PartialFile::Options& options);

// Returns the bytes of such a file; `ending` is like ".png". Throws as write_picture().
std::string encode_picture(const AVFrame& picture, const std::string& ending);

}  // namespace vidconv
