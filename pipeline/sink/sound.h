// SoundConverter: decodes and re-encodes a sound stream for a container that cannot hold it as it
// is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pipeline/av/av.h"
#include "pipeline/av/av_log.h"

struct AVAudioFifo;
struct SwrContext;

namespace vidconv {

// Returns the encoder of that name, or the preferred one of that codec. Throws Error(usage) where
// there is none for sound, Error(output) where the container does not take its codec.
const AVCodec& choose_sound_encoder(const std::string& name, const AVOutputFormat& container);

// Returns the name of an encoder whose sound the container takes; empty where there is none.
std::string sound_encoder_for(const AVOutputFormat& container);

// Keeps times: silence fills gaps of the input, and overlapping samples are dropped.
class SoundConverter {
 public:
  // Receives each packet, with times in time_base(), and may move from it.
  using Receive = std::function<void(AVPacket&)>;

  // Returns nullptr where `from` cannot be decoded here. Throws Error(output) where the encoder
  // cannot be opened for such sound.
  static std::unique_ptr<SoundConverter> make(const AVStream& from, const AVCodec& encoder,
                                              const AVOutputFormat& container);
  ~SoundConverter();

  const AVCodecContext& encoder() const { return *encoder_; }
  AVRational time_base() const { return {1, encoder_->sample_rate}; }
  // Returns the decoder's complaints; it may have made sound of the packet all the same.
  const AvErrors& errors() const { return errors_; }

  // Throws Error(input) for a packet that makes no sense, after which the next one may;
  // Error(output).
  void write(const AVPacket& packet, const Receive& receive);
  void finish(const Receive& receive);

 private:
  SoundConverter(CodecContextPtr decoder, CodecContextPtr encoder, AVRational time_base,
                 const AVOutputFormat& container);

  void decode(const AVPacket* packet, const Receive& receive);
  void convert(const AVFrame* frame, const Receive& receive);
  void begin(std::int64_t at);
  void keep_time(const AVFrame& frame, const Receive& receive);
  void add(AVFrame& frame, int skipped);
  void encode(bool all, const Receive& receive);
  void receive_all(const Receive& receive);
  FramePtr samples(int count) const;
  int check(int code) const;

  struct Closer {
    void operator()(SwrContext* p) const;
    void operator()(AVAudioFifo* p) const;
  };

  const AvErrors errors_{this};
  CodecContextPtr decoder_, encoder_;
  const AVRational time_base_;  // for incoming packets
  const bool holds_lead_in_;
  const bool begins_at_zero_;  // the container gives sound no times
  std::unique_ptr<SwrContext, Closer> resampler_;
  FramePtr shape_;  // format of the decoded frames that the resampler takes
  std::unique_ptr<AVAudioFifo, Closer> waiting_;
  // In samples of the encoder: the time of the first one that waits, and how many are to be
  // dropped.
  std::int64_t at_ = AV_NOPTS_VALUE, overlap_ = 0;
  PacketPtr packet_;
};

}  // namespace vidconv
