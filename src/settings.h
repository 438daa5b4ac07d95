// From the options of the command to those of the pipeline.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/base/notice.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/work.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"
#include "src/device.h"
#include "src/options.h"

namespace vidconv {

// Of the CPU.
int threads(const Options& options);
// Throws Error(usage) where this build has no variant of that name.
const Variant& variant_named(std::string_view name);
// As for --device: a variant knows where it runs.
std::string device_word(const Options& options);
bool decodes_on_device(const Options& options);
// Frames in flight on the device that was chosen.
int slots(const Options& options, const DeviceChoice& device, const VideoInfo& video);

// Throws Error(filter_spec).
PlaneSelection planes(const Options& options);
// What is to be done to frames of the video. `notify` hears what was assumed and what changes
// nothing. Throws Error(usage).
Work work_for(const Options& options, const VideoInfo& video, const Notify& notify);

// Without `nvdec`, which wants to know the device. `notify` hears what changes nothing.
SourceOptions source_options(const Options& options, const Notify& notify);
SinkOptions sink_options(const Options& options, const Notify& notify);
// `trace` may be null; outlives the processor.
ProcessorOptions processor_options(const Options& options, const DeviceChoice& device,
                                   const VideoInfo& video, Trace* trace);
// The other way to compute the same frames, for --verify: the CPU for CUDA, CUDA for the CPU where
// there is a device, else other variants of the CPU.
ProcessorOptions verifying_options(const Options& options, const DeviceChoice& device,
                                   const VideoInfo& video);

}  // namespace vidconv
