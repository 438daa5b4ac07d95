// Audit: records what filters did to each frame, and checks that they did nothing to the rest.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pipeline/av/video.h"
#include "pipeline/filter/processor.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Takes a line of JSON for each frame (docs/places.md), in order.
using WriteAudit = std::function<void(const std::string& line)>;

// Filters with `filter`, which does `work`, and writes digests of the samples inside and outside
// the filters' places, before and after. For frames of `video` in host memory; `scan` is the
// filter's. Frame 0 of the source is number `from` of the video. Where a sample outside has
// changed, collect() throws Error(verification).
std::unique_ptr<Processor> make_audit_processor(std::unique_ptr<Processor> filter, TimedWork work,
                                                const VideoInfo& video, Scan scan,
                                                std::int64_t from, WriteAudit write);

}  // namespace vidconv
