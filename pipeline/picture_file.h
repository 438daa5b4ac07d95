// One picture to a file: PNG, JPEG, or what else FFmpeg has an encoder for.
#pragma once

#include <string>

#include "pipeline/av.h"

namespace vidconv {

struct PictureFileOptions {
  bool overwrite = false;
  std::string input;  // never overwritten
};

// The kind of file follows from the ending of `path`. Written beside its name and renamed when
// complete. Returns its size, bytes. Throws Error(usage) for an ending that means no kind of
// picture, Error(output) for a file that cannot be written.
std::int64_t write_picture(const AVFrame& picture, const std::string& path,
                           const PictureFileOptions& options);

}  // namespace vidconv
