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

// With `nvdec` the stream is decoded on the device until that refuses it, as where the picture's
// size changes, and on the CPU from there, with the same frames; options.notify hears of it once.
// `stream` outlives the decoder. Throws Error(input).
std::unique_ptr<VideoDecoder> make_decoder(const AVStream& stream, const DecoderOptions& options,
                                           const std::optional<NvdecOptions>& nvdec);

// `why` the first decoder refused, as far as it is known; `begun`: after its first frame.
using MakeSecondDecoder =
    std::function<std::unique_ptr<VideoDecoder>(const std::string& why, bool begun)>;

// `first` until it refuses or a packet changes the stream's header, then what `make_second` makes,
// which gets the packets since a key frame again. Every frame comes out once. Packets wait for that
// until the frame of the next key frame is out. Where they are too many, or frames do not say when
// they are shown, a refusal throws Error(device). `parameters` outlive the decoder.
std::unique_ptr<VideoDecoder> make_fallible_decoder(std::unique_ptr<VideoDecoder> first,
                                                    const AVCodecParameters& parameters,
                                                    MakeSecondDecoder make_second);

}  // namespace vidconv
