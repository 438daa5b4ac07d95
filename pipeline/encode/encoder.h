// Encoder: frames to packets, by one encoder of libavcodec's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/convert.h"
#include "pipeline/av/frame.h"
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
  // `global_header`: the container keeps the codec's header. Throws Error(usage) for an option that
  // the encoder does not have or understand, Error(output) where it cannot be opened, Error(device)
  // where EncoderOptions::device refuses; device_layout() has one for the video then.
  // `notify` hears what is converted, `lose` what that loses.
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
  // Throws Error(encoder_option) where it is the user's options that the encoder cannot be opened
  // with, `error` being what it said.
  void refuse_options(const Error& error, const EncoderChoice& choice, const VideoInfo& video,
                      EncoderOptions options) const;
  // Throws Error(output) that says what to use where there is no such chip, or no place on it.
  void refuse_chip(const std::string& why, const VideoInfo& video) const;
  int check(int code, const char* what) const;
  // Says once what the encoder's library has complained of.
  void pass_on_words();
  void end_svt_av1();
  void choose_time_base(const VideoInfo& video);
  void choose_format(const EncoderChoice& choice, const VideoInfo& video,
                     const EncoderOptions& options, const Notify& notify, const Notify& lose);
  void choose_palette(const VideoInfo& video, const EncoderOptions& options, const Notify& lose);
  void set_options(const EncoderChoice& choice, const EncoderOptions& options,
                   const VideoInfo& video);
  void set_option(const std::string& key, const std::string& value, const std::string& shown);
  void close();  // whatever the encoder was in the middle of
  void start_measuring(MeasureLog& log, const VideoInfo& video);
  void send(const AVFrame* frame);
  void name_captions(const AVFrame& frame);
  bool takes_dolby_vision(const HdrMetadata& hdr) const;
  std::string dolby_vision_rate() const;  // a bound of x265's
  // Tells an encoder that writes Dolby Vision that it will come.
  void announce_dolby_vision(const HdrMetadata& hdr);
  bool writes_dolby_vision() const;
  // Encoders that write it refuse a picture without: it gets what the one before had.
  void fill_in_dolby_vision(AVFrame& frame);
  // Says once of each kind that it is lost.
  void name_lost_metadata(const DynamicHdr& has);
  AVPixelFormat coded_format() const;
  void name_not_kept();
  void receive_all(const Receive& receive);

  const AVCodec& codec_;
  const Notify notify_, lose_;
  const CapturedStderr words_;  // outlives the encoder
  bool words_are_told_ = false;
  std::unique_ptr<NvencPictures> pictures_;  // where frames come on the device
  CodecContextPtr context_;
  std::optional<Converter> converter_;
  std::optional<PaletteMaker> palette_;  // GIF's, after the converter
  std::string description_;
  const bool joins_frames_;
  // The encoder's times are frame numbers. So it is for steady video too: what the codec writes
  // into its headers is then a frame rate, not the container's time base.
  const bool counts_frames_;
  std::int64_t frames_ = 0, packets_ = 0;
  EncoderTimes times_;
  PacketPtr packet_;
  bool captions_are_told_ = false;
  Hdr10Plus hdr10_plus_;
  const bool pictures_have_moved_;     // what was said of each is not true any more
  DynamicHdr lost_metadata_;           // that was named
  BufferPtr dolby_vision_;             // of the last picture that had it
  std::optional<EncoderTrial> first_;  // until its packet has come
  bool ended_ = false;                 // it knows that no more frames come
  std::unique_ptr<Meter> meter_;       // where EncoderOptions::measure says so
};

}  // namespace vidconv
