// Writes one file for each frame, or one file for one frame.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "pipeline/av/container.h"
#include "pipeline/encode/video_encoder.h"
#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

// Returns how many nameless files may be held open at once, each with a descriptor.
std::size_t most_open() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return std::clamp<rlim_t>(limit.rlim_cur / 4, 1, 256);
}

class ImageSink final : public Sink {
 public:
  ImageSink(const OutputPlan& plan, const InputInfo& input)
      : output_(plan.output),
        file_options_(file_options(plan.options)),
        numbered_(is_numbered(output_)),
        encoder_(make_encoder(plan.encoders.at(0), input.videos.at(0).info, plan.options.encoder,
                              false, plan.options.notify, plan.options.loss())),
        lose_(plan.options.loss()),
        tick_(plan.options.copy_times ? av_q2d(input.videos.at(0).info.time_base) : 0) {
    if (encoder_->joins_frames())
      throw Error(MessageKind::output_unsuited, "cannot write", output_,
                  std::string(encoder_->codec().name) + " makes one picture of all frames",
                  "use `codec` libwebp, or a name without a number");
    // An impossible name is refused at once.
    if (!numbered_)
      add_file();
    else if (plan.options.files)
      plan.options.files->writes(file_options_.what, numbered(output_, 1));
    if (const AVFormatContext* from = input.container.get(); from && from->nb_streams > 1)
      notify(plan.options.loss(), MessageKind::left_out,
             "images hold no other streams, left out: " + std::to_string(from->nb_streams - 1));
  }

  void write(Frame frame) override {
    if (!numbered_ && written_ > 0)
      throw Error(MessageKind::output_unsuited, "cannot write", output_,
                  "one image holds one frame", "use a name such as frame%04d.png, or `frames` 1");
    if (written_ == 0)
      name_lost_start("images", static_cast<double>(frame.av().pts) * tick_, lose_);
    ++written_;
    encoder_->write(std::move(frame), [this](AVPacket& packet) { write_file(packet); });
  }

  void finish() override {
    encoder_->finish([this](AVPacket& packet) { write_file(packet); });
    if (written_ == 0)
      throw Error(Fault::output, "cannot write the output", output_, "there is no frame for it");
    PartialFile::commit(files_);
    if (numbered_ && file_options_.overwrite) remove_older_beyond();
  }

  std::int64_t frames() const override { return encoder_->frames_out(); }
  std::int64_t bytes() const override { return bytes_; }
  std::string description() const override {
    return encoder_->description() + ", images" +
           (removed_ > 0 ? fmt::format(", {} older ones beyond them removed", removed_) : "");
  }

 private:
  void add_file() {
    const auto number = static_cast<int>(files_.size()) + 1;
    const std::string name = numbered_ ? numbered(output_, number) : output_;
    PartialFile* const first = files_.empty() ? nullptr : files_.front().get();
    files_.push_back(std::make_unique<PartialFile>(name, file_options_, first));
  }

  // Removes pictures of an older, longer video, which would be taken for the end of this one. Stops
  // at the first one that is missing, is no file, or is read by this run.
  void remove_older_beyond() {
    for (int number = static_cast<int>(files_.size()) + 1;; ++number) {
      const std::string name = numbered(output_, number);
      struct stat status;
      if (lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
      try {
        if (file_options_.files) file_options_.files->writes(file_options_.what, name);
      } catch (const Error&) {
        return;
      }
      if (unlink(name.c_str()) != 0)
        throw Error(Fault::output, "cannot remove an older picture beyond the last", name,
                    std::strerror(errno), "remove it and what follows: it is of another video");
      ++removed_;
    }
  }

  void write_file(const AVPacket& packet) {
    if (numbered_) add_file();
    ByteWriter(files_.back()->fd(), output_)
        .write({reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size)});
    if (files_.size() > most_open_) files_.back()->set_aside();
    bytes_ += packet.size;
  }

  const std::string output_;
  const PartialFile::Options file_options_;
  const bool numbered_;
  const std::unique_ptr<VideoEncoder> encoder_;
  const Notify lose_;
  const double tick_;  // seconds; 0: the first frame's time does not count
  const std::size_t most_open_ = most_open();
  std::vector<std::unique_ptr<PartialFile>> files_;  // all get their names at the end
  std::int64_t written_ = 0;
  std::int64_t bytes_ = 0;
  int removed_ = 0;  // older pictures
};

}  // namespace

void choose_for_images(OutputPlan& plan, std::span<const InputVideo> videos) {
  plan.container = image_container();
  EncoderOptions options = plan.options.encoder;
  // The name's ending decides. For WebP, FFmpeg would prefer an encoder that joins all frames.
  const AVCodecID id =
      av_guess_codec(plan.container, nullptr, plan.output.c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
  if (options.codec.empty())
    options.codec = id == AV_CODEC_ID_WEBP ? "libwebp" : avcodec_get_name(id);
  plan.encoders = {choose_encoder(*plan.container, options, videos[0].info)};
  const AVCodecID chosen = plan.encoders[0].codec->id;
  const bool lossless_jpeg = id == AV_CODEC_ID_MJPEG && chosen == AV_CODEC_ID_LJPEG;
  if (is_image_name(plan.output) && chosen != id && !lossless_jpeg)
    throw Error(
        MessageKind::output_unsuited, "such a picture does not take the codec",
        avcodec_get_name(chosen),
        fmt::format("the ending of '{}' means {}", verbatim(plan.output), avcodec_get_name(id)),
        "choose another `codec` or another ending of the output's name");
}

std::unique_ptr<Sink> open_image_sink(const OutputPlan& plan, const InputInfo& input) {
  return std::make_unique<ImageSink>(plan, input);
}

}  // namespace vidconv
