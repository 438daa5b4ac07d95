// One file for each frame, or one file for one frame.
#include <sys/resource.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/container.h"
#include "pipeline/encoder.h"
#include "pipeline/sink_kinds.h"

namespace vidconv {
namespace {

// Files that wait for their names without one, each with a descriptor.
std::size_t most_open() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return std::clamp<rlim_t>(limit.rlim_cur / 4, 1, 256);
}

class ImageSink final : public Sink {
 public:
  ImageSink(const std::string& output, const SinkOptions& options, const Source& source)
      : output_(output),
        file_options_(file_options(options)),
        numbered_(is_numbered(output)),
        encoder_(image_encoder(output, options, source.video()), source.video(), options, false) {
    if (encoder_.joins_frames())
      throw Error(Message::output_unsuited, "cannot write", output_,
                  std::string(encoder_.codec().name) + " makes one picture of all frames",
                  "use --codec libwebp, or a name without a number");
    // So that a name that cannot be is refused at once.
    if (!numbered_)
      add_file();
    else if (options.files)
      options.files->writes(file_options_.what, numbered(output_, 1));
    if (source.container() && source.container()->nb_streams > 1)
      notify(options.lose ? options.lose : options.notify, Message::left_out,
             "images hold no other streams, left out: " +
                 std::to_string(source.container()->nb_streams - 1));
  }

  void write(Frame frame) override {
    if (!numbered_ && written_ > 0)
      throw Error(Message::output_unsuited, "cannot write", output_, "one image holds one frame",
                  "use a name such as frame%04d.png, or --frames 1");
    ++written_;
    encoder_.write(std::move(frame), [this](AVPacket& packet) { write_file(packet); });
  }

  void finish() override {
    encoder_.finish([this](AVPacket& packet) { write_file(packet); });
    if (written_ == 0)
      throw Error(Fault::output, "cannot write the output", output_, "there is no frame for it");
    PartialFile::commit(files_);
  }

  std::int64_t frames() const override { return encoder_.frames_out(); }
  std::int64_t bytes() const override { return bytes_; }
  std::string description() const override { return encoder_.description() + ", images"; }

 private:
  void add_file() {
    const auto number = static_cast<int>(files_.size()) + 1;
    const std::string name = numbered_ ? numbered(output_, number) : output_;
    PartialFile* const first = files_.empty() ? nullptr : files_.front().get();
    files_.push_back(std::make_unique<PartialFile>(name, file_options_, first));
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
  Encoder encoder_;
  const std::size_t most_open_ = most_open();
  std::vector<std::unique_ptr<PartialFile>> files_;  // all get their names at the end
  std::int64_t written_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

EncoderChoice image_encoder(const std::string& output, const SinkOptions& options,
                            const VideoInfo& video) {
  const AVOutputFormat& images = *image_container();
  SinkOptions o = options;
  // What the name asks for. Of WebP there is another encoder, which joins all frames.
  if (const AVCodecID id =
          av_guess_codec(&images, nullptr, output.c_str(), nullptr, AVMEDIA_TYPE_VIDEO);
      o.codec.empty())
    o.codec = id == AV_CODEC_ID_WEBP ? "libwebp" : avcodec_get_name(id);
  return choose_encoder(images, o, video);
}

std::unique_ptr<Sink> open_image_sink(const std::string& output, const SinkOptions& options,
                                      const Source& source) {
  return std::make_unique<ImageSink>(output, options, source);
}

}  // namespace vidconv
