// Writes one line per frame, "<number> <md5>", and "all <md5>" at the end: digests of the visible
// samples, packed as FFmpeg's rawvideo packs them.
#include <algorithm>
#include <array>
#include <charconv>

#include "pipeline/io/md5.h"
#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

class Md5Sink final : public Sink {
 public:
  explicit Md5Sink(const SinkOptions& options) : writer_(options.stdout_fd, "standard output") {
    writer_.heed(options.interrupted);
  }

  void write(Frame frame) override {
    const PixelFormat& format = frame.format();
    for (int p = 0; p < format.planes; ++p) {
      const std::size_t bytes = format.row_bytes(p, frame.width());
      for (int y = 0; y < format.rows(p, frame.height()); ++y) {
        one_.add(frame.row(p, y), bytes);
        all_.add(frame.row(p, y), bytes);
      }
    }
    std::array<char, 20> number;
    const auto end = std::to_chars(number.begin(), number.end(), frame.number()).ptr;
    write_line({number.data(), end}, one_);
    ++frames_;
  }

  void cancel() override { writer_.cancel(); }
  void finish() override {
    write_line("all", all_);
    writer_.sync();
  }
  std::int64_t frames() const override { return frames_; }
  std::string description() const override { return "digests"; }

 private:
  // Allocates nothing, because it runs for every frame.
  void write_line(std::string_view name, Md5& digest) {
    std::array<char, 64> line;
    char* end = std::ranges::copy(name, line.begin()).out;
    *end++ = ' ';
    end = std::ranges::copy(digest.take(), end).out;
    *end++ = '\n';
    writer_.write({line.data(), end});
  }

  ByteWriter writer_;
  Md5 one_, all_;
  std::int64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_md5_sink(const OutputPlan& plan, const InputInfo&) {
  return std::make_unique<Md5Sink>(plan.options);
}

}  // namespace vidconv
