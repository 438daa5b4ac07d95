// Chooses the decoder of a stream: NVDEC in several sessions where asked for and possible, or the
// CPU.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/decode/decoder.h"

namespace vidconv {

// Options of decoding on CUDA devices. Frames stay on the device that has decoded them.
struct NvdecOptions {
  // At least one device; sessions use them in turn.
  std::vector<int> devices = {0};
  // Sessions side by side on one file, on each device; none: as the devices' memory allows.
  std::optional<int> sessions;
  // Decoded frames that may wait for those before them; none: as the devices' memory allows.
  std::optional<std::size_t> frames = std::nullopt;
  // Memory of each device, for frames of several decoders; empty: each decoder has its own.
  std::vector<std::shared_ptr<NvdecMemory>> memories = {};
};

// Makes a decoder. With `nvdec` the stream is decoded on the device until the device refuses it, as
// where the picture's size changes, and on the CPU from there, with the same frames; options.notify
// hears of it once. `stream` outlives the decoder. Throws Error(input).
std::unique_ptr<VideoDecoder> make_decoder(const AVStream& stream, const DecoderOptions& options,
                                           const std::optional<NvdecOptions>& nvdec);

// Makes the second decoder. `why` the first has refused, if known; `begun`: after its first frame.
using MakeSecondDecoder =
    std::function<std::unique_ptr<VideoDecoder>(const std::string& why, bool begun)>;

// Returns a decoder that is `first` until it refuses or a packet changes the stream's header, and
// then what `make_second` makes, which gets the packets since a key frame again. Every frame comes
// out once. Packets are held for that until the frame of the next key frame is out. If they are too
// many, or if frames do not say when they are shown, a refusal throws Error(device). `parameters`
// outlive the decoder.
std::unique_ptr<VideoDecoder> make_fallible_decoder(std::unique_ptr<VideoDecoder> first,
                                                    const AVCodecParameters& parameters,
                                                    MakeSecondDecoder make_second);

}  // namespace vidconv
