// Encoder: turns frames into packets with one of libavcodec's encoders.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/convert/convert.h"
#include "pipeline/av/frame.h"
#include "pipeline/av/pixel_aspect.h"
#include "pipeline/av/video.h"
#include "pipeline/base/notice.h"
#include "pipeline/device/nvenc.h"
#include "pipeline/encode/encoder_choice.h"
#include "pipeline/encode/encoder_times.h"
#include "pipeline/encode/encoder_trial.h"
#include "pipeline/encode/hdr10_plus.h"
#include "pipeline/encode/palette.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/measure/meter.h"
#include "pipeline/platform/captured_stderr.h"

namespace vidconv {

class Encoder final : public VideoEncoder {
 public:
  // `global_header` says that the container keeps the codec's header. Throws Error(usage) for an
  // option that the encoder does not have or understand, Error(output) where it cannot be opened,
  // Error(device) where EncoderOptions::device refuses; with a device, device_layout() has a layout
  // for the video. `notify` hears what is converted, `lose` what is lost by that.
  Encoder(const EncoderChoice& choice, const VideoInfo& video, const EncoderOptions& options,
          bool global_header, const Notify& notify, const Notify& lose);
  ~Encoder() override;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void write(Frame frame, const Receive& receive) override;
  void finish(const Receive& receive) override;

  const AVCodecContext& context() const { return *context_; }
  const AVCodec& codec() const override { return codec_; }
  void describe(AVCodecParameters& to) const override;
  const std::string& description() const override { return description_; }
  std::int64_t frames_out() const override {
    return joins_frames_ && packets_ == 1 ? frames_ : packets_;
  }
  bool joins_frames() const override { return joins_frames_; }

 private:
  // Throws Error(encoder_option) where the user's options are why the encoder cannot be opened;
  // `error` is what it said.
  void refuse_options(const Error& error, const EncoderChoice& choice, const VideoInfo& video,
                      EncoderOptions options) const;
  // Throws Error(output) that says what to use instead where the chip is missing or has no room.
  void refuse_chip(const std::string& why, const VideoInfo& video) const;
  int check(int code, const char* what) const;
  // Reports once what the encoder's library has complained of.
  void pass_on_words();
  void end_svt_av1();
  void choose_time_base(const VideoInfo& video);
  void choose_format(const EncoderChoice& choice, const VideoInfo& video,
                     const EncoderOptions& options, const Notify& notify, const Notify& lose);
  void choose_palette(const VideoInfo& video, const EncoderOptions& options, const Notify& lose);
  void set_options(const EncoderChoice& choice, const EncoderOptions& options,
                   const VideoInfo& video);
  void set_option(const std::string& key, const std::string& value, const std::string& shown);
  void close();  // also in the middle of its work
  void start_measuring(MeasureLog& log, const VideoInfo& video);
  void send(const AVFrame* frame);
  void name_captions(const AVFrame& frame);
  void name_profile(const AVFrame& frame);
  bool takes_dolby_vision(const HdrMetadata& hdr) const;
  std::string dolby_vision_rate() const;  // x265's limit on the rate
  // Tells an encoder that writes Dolby Vision to expect it.
  void announce_dolby_vision(const HdrMetadata& hdr);
  bool writes_dolby_vision() const;
  // Gives a picture without Dolby Vision metadata those of the one before: encoders that write them
  // refuse a picture without.
  void fill_in_dolby_vision(AVFrame& frame);
  // Reports, once for each kind, that the metadata is lost.
  void name_lost_metadata(const DynamicHdr& has);
  AVPixelFormat coded_format() const;
  void name_not_kept();
  void receive_all(const Receive& receive);

  const AVCodec& codec_;
  const Notify notify_, lose_;
  const CapturedStderr words_;  // outlives the encoder
  bool words_are_told_ = false;
  std::unique_ptr<NvencPictures> pictures_;  // with frames on the device
  CodecContextPtr context_;
  std::optional<Converter> converter_;
  std::optional<PaletteMaker> palette_;  // GIF's, runs after the converter
  std::string description_;
  const bool joins_frames_;
  // The encoder's times are frame numbers. Steady video has them too: the codec then writes a frame
  // rate, not the container's time base, into its headers.
  const bool counts_frames_;
  std::int64_t frames_ = 0, packets_ = 0;
  EncoderTimes times_;
  PacketPtr packet_;
  bool captions_are_told_ = false, profile_is_told_ = false;
  NewAspect new_aspect_;
  const bool aspect_beside_;  // the container says the shape of pixels
  Hdr10Plus hdr10_plus_;
  const bool pictures_have_moved_;     // per-picture metadata is no longer true
  DynamicHdr lost_metadata_;           // lost, and already reported
  BufferPtr dolby_vision_;             // from the last picture that had it
  std::optional<EncoderTrial> first_;  // until the first packet has come
  bool ended_ = false;                 // it has been told that no more frames come
  std::unique_ptr<Meter> meter_;       // with EncoderOptions::measure
};

}  // namespace vidconv
