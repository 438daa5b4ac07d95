#include "pipeline/encode/encoder_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pipeline/av/av_log.h"
#include "pipeline/av/convert/convert.h"

namespace vidconv {
namespace {

constexpr int cells_across = 32;
constexpr int cell_count = cells_across * cells_across;

FramePtr decoded_alone(const AVCodecParameters& made, const AVPacket& packet) {
  const AVCodec* decoder = avcodec_find_decoder(made.codec_id);
  CodecContextPtr context(decoder ? avcodec_alloc_context3(decoder) : nullptr);
  if (!context || avcodec_parameters_to_context(context.get(), &made) < 0) return nullptr;
  context->thread_count = 1;              // so that frames come out at once
  context->sample_aspect_ratio = {0, 1};  // the container's word, not the codec's
  if (avcodec_open2(context.get(), decoder, nullptr) < 0) return nullptr;
  FramePtr frame = make_frame();
  if (avcodec_send_packet(context.get(), &packet) < 0 ||
      avcodec_send_packet(context.get(), nullptr) < 0 ||
      avcodec_receive_frame(context.get(), frame.get()) < 0)
    return nullptr;
  return frame;
}

// Decoders of these show transparency only where the container has said that it is beside the
// video.
bool has_alpha_beside(AVCodecID id) { return id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9; }

void append_lost(std::string& list, const std::string& what) {
  list += (list.empty() ? "" : ", ") + what;
}

// Returns the share of codes between the least and the greatest that some rows use; 1 where they
// are not counted.
double filled(const AVFrame& frame, const AVPixFmtDescriptor& format, int component) {
  constexpr int most_rows = 256;
  const int depth = format.comp[component].depth;
  if (depth > 16 || (format.flags & (AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_PAL |
                                     AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)))
    return 1;
  const bool chroma = (component == 1 || component == 2) && !(format.flags & AV_PIX_FMT_FLAG_RGB);
  const int width = chroma ? AV_CEIL_RSHIFT(frame.width, format.log2_chroma_w) : frame.width;
  const int height = chroma ? AV_CEIL_RSHIFT(frame.height, format.log2_chroma_h) : frame.height;
  std::vector<bool> seen(std::size_t{1} << depth);
  std::vector<std::uint16_t> row(static_cast<std::size_t>(width));
  const int step = std::max(1, height / most_rows);
  for (int y = 0; y < height; y += step) {
    av_read_image_line2(row.data(), const_cast<const std::uint8_t**>(frame.data), frame.linesize,
                        &format, 0, y, component, width, 0, sizeof row[0]);
    for (const std::uint16_t sample : row)
      if (sample < seen.size()) seen[sample] = true;
  }
  const auto first = std::ranges::find(seen, true);
  if (first == seen.end()) return 1;
  const auto last = std::find(seen.rbegin(), seen.rend(), true).base();
  return static_cast<double>(std::count(first, last, true)) / static_cast<double>(last - first);
}

struct Line {
  double slope = 1, offset = 0;  // decoded = slope * original + offset
  bool fits = false;
};

// Fits a line to the cells; noise lies on both sides of it.
Line line_through(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                  std::size_t channel) {
  double sum_a = 0, sum_b = 0, aa = 0, ab = 0, bb = 0, count = 0;
  for (std::size_t i = 0; i < cell_count; ++i) {
    const double x = a[i * 4 + channel], y = b[i * 4 + channel];
    if (a[i * 4 + 3] < 255 || b[i * 4 + 3] < 255) continue;  // hardly visible
    sum_a += x, sum_b += y, aa += x * x, ab += x * y, bb += y * y, ++count;
  }
  if (count == 0) return {};
  Line line{1, (sum_b - sum_a) / count, true};
  const double variance = aa - sum_a * sum_a / count, other = bb - sum_b * sum_b / count;
  const double both = ab - sum_a * sum_b / count;
  constexpr double flat = 100;  // a cell of 10 codes in each direction
  if (variance > flat * count && other > 0) {
    constexpr double close = 0.98;
    line.slope = both / variance;
    line.fits = both > close * std::sqrt(variance * other);
  }
  return line;
}

}  // namespace

EncoderTrial::EncoderTrial(const AVFrame& first, AVPixelFormat coded, const AVCodecContext& encoder,
                           bool aspect_beside)
    : coded_(coded),
      range_(encoder.color_range),
      matrix_(encoder.colorspace),
      aspect_(aspect_beside ? AVRational{0, 1} : encoder.sample_aspect_ratio),
      look_(look_at(first)) {}

EncoderTrial::Look EncoderTrial::look_at(const AVFrame& frame) {
  Look look;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  if (!format || (format->flags & AV_PIX_FMT_FLAG_HWACCEL)) return look;
  for (int c = 0; c < format->nb_components; ++c)
    look.filled[static_cast<std::size_t>(c)] = filled(frame, *format, c);
  try {
    Converter converter(*find_format(AV_PIX_FMT_RGBA), AVCOL_RANGE_JPEG, AVCOL_SPC_UNSPECIFIED,
                        plain_memory);
    converter.scale_to(cells_across, cells_across);
    const FramePtr small = converter.convert(frame);
    look.cells.resize(cell_count * 4);
    for (int y = 0; y < cells_across; ++y)
      std::copy_n(small->data[0] + y * small->linesize[0], cells_across * 4,
                  look.cells.begin() + y * cells_across * 4);
  } catch (const Error& error) {
    if (error.kind() == MessageKind::memory) throw;
    look.cells.clear();
  }
  return look;
}

// Codecs may round the shape, or know a few shapes only.
std::string EncoderTrial::lost_aspect(const AVFrame& decoded) const {
  if (aspect_.num <= 0) return {};
  const AVRational said = decoded.sample_aspect_ratio;
  const AVRational seen = said.num > 0 ? said : AVRational{1, 1};
  constexpr double rounding = 0.01;
  if (std::abs(av_q2d(seen) / av_q2d(aspect_) - 1) < rounding) return {};
  return fmt::format("pixels of {}:{}, which are seen as {}:{}", aspect_.num, aspect_.den, seen.num,
                     seen.den);
}

std::string EncoderTrial::lost_values(const Look& made, const AVPixFmtDescriptor& format) const {
  std::string lost;
  const AVPixFmtDescriptor& coded = *av_pix_fmt_desc_get(coded_);
  const int depth = coded.comp[0].depth;
  // A decoder with the same depth that skips every other code or more keeps fewer bits.
  constexpr double sparse = 0.6, dense = 1.5;
  for (std::size_t c = 0; c < coded.nb_components && lost.empty(); ++c)
    if (format.comp[0].depth == depth && made.filled[c] < sparse &&
        made.filled[c] * dense < look_.filled[c])
      append_lost(lost, fmt::format("{} bits a sample as about {:.0f}", depth,
                                    depth + std::log2(made.filled[c])));
  if (look_.cells.empty() || made.cells.empty()) return lost;
  constexpr double most_slope = 0.06, most_offset = 6;
  bool others = false;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const Line line = line_through(look_.cells, made.cells, channel);
    others |=
        std::abs(line.offset) > most_offset || (line.fits && std::abs(line.slope - 1) > most_slope);
  }
  if (others) append_lost(lost, "colours, which are others");
  return lost;
}

std::string EncoderTrial::lost_in(const AVCodecParameters& made, const AVPacket& packet) const {
  const AvLines lines;  // a failure here means nothing
  const FramePtr frame = decoded_alone(made, packet);
  take_av_line();
  const AVPixFmtDescriptor* a = av_pix_fmt_desc_get(coded_);
  const AVPixFmtDescriptor* b =
      frame ? av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format)) : nullptr;
  if (!a || !b) return {};
  std::string lost = lost_aspect(*frame);
  if ((a->flags | b->flags) & AV_PIX_FMT_FLAG_PAL) return lost;
  // The container says, where it can, what the decoder does not.
  if (frame->color_range == AVCOL_RANGE_UNSPECIFIED) frame->color_range = range_;
  if (frame->colorspace == AVCOL_SPC_UNSPECIFIED) frame->colorspace = matrix_;
  const Look look = look_at(*frame);
  if ((a->flags & AV_PIX_FMT_FLAG_ALPHA) && !has_alpha_beside(made.codec_id)) {
    double apart = 0, opaque = 0;
    for (std::size_t i = 3; i < look.cells.size() && i < look_.cells.size(); i += 4)
      apart += std::abs(look.cells[i] - look_.cells[i]), opaque += look_.cells[i] == 255;
    constexpr double most = 8;
    const bool gone = !(b->flags & AV_PIX_FMT_FLAG_ALPHA) || apart > most * cell_count;
    if (gone && opaque < cell_count) append_lost(lost, "transparency");
  }
  if (b->comp[0].depth < a->comp[0].depth)
    append_lost(lost, fmt::format("{} bits a sample as {}", a->comp[0].depth, b->comp[0].depth));
  if (a->nb_components > 2 && b->nb_components < 3)
    append_lost(lost, "colours");
  else if (a->nb_components > 2 &&  // grey may come out as a picture with neutral chroma
           (b->log2_chroma_w > a->log2_chroma_w || b->log2_chroma_h > a->log2_chroma_h))
    append_lost(lost, "some of the chroma");
  if (const std::string values = lost_values(look, *b); !values.empty()) append_lost(lost, values);
  return lost;
}

}  // namespace vidconv
