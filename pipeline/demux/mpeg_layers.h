// Names MPEG audio by its own headers. MP4, AVI, ASF and Matroska may call layers 1 and 2 by the
// name of layer 3, and an output that takes layer 3 alone would be made of them.
#pragma once

#include <string>

#include "pipeline/av/av.h"

namespace vidconv {

// Gives the streams of a container that was just opened from the file `url` the codec of the layer
// that their first packet says. If the file cannot be read, they keep their names.
void name_mpeg_layers(AVFormatContext& container, const std::string& url,
                      const AVIOInterruptCB& interrupt);

}  // namespace vidconv
