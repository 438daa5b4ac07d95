// turn_source(): another source, with pictures turned upright.
#pragma once

#include <memory>
#include <vector>

#include "pipeline/source/source.h"

namespace vidconv {

// `shown`: of each video of `source`, how its pictures are seen, instead of what the source says.
// `source` gives frames in the host's memory. Those that are turned are in `memory`.
std::unique_ptr<Source> turn_source(std::unique_ptr<Source> source,
                                    const std::vector<Orientation>& shown,
                                    const FrameMemory& memory);

}  // namespace vidconv
