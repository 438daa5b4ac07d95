// Turns the pictures of another source upright.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/source/source.h"

namespace vidconv {

// Returns a source that turns the pictures of `source`, which lie in host memory, into `memory`.
// `shown`: how each video's pictures are displayed, whatever `source` says.
std::unique_ptr<Source> turn_source(std::unique_ptr<Source> source,
                                    const std::vector<Orientation>& shown,
                                    const FrameMemory& memory);

}  // namespace vidconv
