// One picture to a file: PNG, JPEG, or what else FFmpeg has an encoder for.
#pragma once

#include <string>

#include "pipeline/av/av.h"
#include "pipeline/io/partial_file.h"

namespace vidconv {

// The kind of file follows from the ending of `path`. Returns its size, bytes. Throws Error(usage)
// for an ending that means no kind of picture, Error(output) for a file that cannot be written.
std::int64_t write_picture(const AVFrame& picture, const std::string& path,
                           const PartialFile::Options& options);

// The bytes of such a file. `ending`: ".png". Throws as write_picture().
std::string encode_picture(const AVFrame& picture, const std::string& ending);

}  // namespace vidconv
