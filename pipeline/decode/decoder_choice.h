// Who decodes a stream: NVDEC in several sessions where it is asked for and can, else the CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/decode/decoder.h"

namespace vidconv {

// Decoding on CUDA devices, where frames stay then: on the one that decoded them.
struct NvdecOptions {
  // At least one; sessions are on one after the other in turn.
  std::vector<int> devices = {0};
  // Side by side on one file, on each device; none: as the devices' memory allows.
  std::optional<int> sessions;
  // How many decoded frames may wait for those before them; none: as the devices' memory allows.
  std::optional<std::size_t> frames = std::nullopt;
  // Of each of the devices, for frames of several decoders; empty: each has its own.
  std::vector<std::shared_ptr<NvdecMemory>> memories = {};
};

// With `nvdec` the stream is decoded on the device, unless that refuses it before its first frame:
// then on the CPU from its beginning, and options.notify hears of it once. A refusal later is an
// Error(device). `stream` outlives the decoder. Throws Error(input).
std::unique_ptr<VideoDecoder> make_decoder(const AVStream& stream, const DecoderOptions& options,
                                           const std::optional<NvdecOptions>& nvdec);

// `first` until it refuses; if that is before its first frame, the decoder that `make_second` makes
// then, from the beginning; `why`, as far as it is known. A later refusal throws Error(device).
std::unique_ptr<VideoDecoder> make_fallible_decoder(
    std::unique_ptr<VideoDecoder> first,
    std::function<std::unique_ptr<VideoDecoder>(const std::string& why)> make_second);

}  // namespace vidconv
