// Reads bare frames: no header, no gaps; the user says what they are.
#include <utility>

#include "pipeline/source/source_kinds.h"
#include "pipeline/source/source_steady.h"

namespace vidconv {
namespace {

class RawSource final : public SteadySource {
 public:
  RawSource(VideoInfo info, const SourceOptions& options, std::unique_ptr<ByteReader> reader,
            std::optional<std::int64_t> available, bool swapped)
      : SteadySource(info, options, available),
        reader_(std::move(reader)),
        swapped_(swapped),
        frame_bytes_(packed_bytes(*info.format, info.width, info.height)) {
    reader_->read_by(threads_that_read());
  }

  bool takes_order() override { return reader_->size() > 0; }

  void cancel() override {
    SteadySource::cancel();
    reader_->cancel();
  }

 private:
  void go_to(std::int64_t index) override {
    reader_->seek(index * static_cast<std::int64_t>(frame_bytes_));
  }

  bool read(Frame& frame, std::int64_t index) override {
    const std::span<std::byte> picture = frame.extent();  // packed: the extent is the frame
    const std::size_t got = reader_->read(picture);
    if (got == frame_bytes_) {
      if (swapped_)
        swap_bytes(picture, picture.data(), frame.format().components[0].sample.bytes());
      return true;
    }
    if (reader_->stopped()) return false;
    const std::string why = "frame " + std::to_string(index) + " has " + std::to_string(got) +
                            " of " + std::to_string(frame_bytes_) + " bytes";
    if (index == 0)
      throw Error(Fault::input, "cannot read the raw input", reader_->name(),
                  got == 0 ? "it is empty" : why, "check the size and format given for it");
    if (got > 0) end_early(why);
    return false;
  }

  std::unique_ptr<ByteReader> reader_;
  const bool swapped_;
  const std::size_t frame_bytes_;
};

}  // namespace

std::unique_ptr<Source> open_raw_source(const std::string& input, const SourceOptions& options) {
  const PictureSpec spec =
      parse_picture_spec(options.raw, "the description of the raw input", options.max_pixels);
  if (!spec.format || spec.frames)
    throw Error(Fault::usage, "cannot understand the description of the raw input", options.raw,
                spec.format ? "it has a number of frames" : "the pixel format is missing",
                "write WxH:PIXFMT[@FPS], as in 1920x1080:yuv420p@25");
  VideoInfo info;
  info.format = spec.format;
  info.width = spec.width;
  info.height = spec.height;
  info.frame_rate = spec.frame_rate;
  info.range = spec.range;
  info.swapped = spec.swapped;

  auto reader = input == "-" ? read_stdin(options) : read_file(input, options);
  std::optional<std::int64_t> available;  // an incomplete frame at the end counts: it is looked at
  if (const std::int64_t size = reader->size(); size > 0) {
    const auto frame =
        static_cast<std::int64_t>(packed_bytes(*spec.format, info.width, info.height));
    available = size / frame + (size % frame != 0);
  }
  if (spec.swapped)
    notify(options.notify, MessageKind::byte_order,
           "the samples of the raw input are turned into " + spec.format->name +
               ", this machine's order of bytes");
  return std::make_unique<RawSource>(info, options, std::move(reader), available, spec.swapped);
}

}  // namespace vidconv
