#include "pipeline/decode/picture_decoder.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/spec/kernel_file.h"
#include "pipeline/av/av.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/av/format.h"
#include "pipeline/base/error.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
}

namespace vidconv {
namespace {

struct Coding {
  CodedPicture picture;
  AVCodecID codec;
  int loss;  // difference of a grey pixel's colours that is allowed, of 255
  // All that the decoder dislikes is damage. (FFmpeg's own TIFF files have tags that it dislikes.)
  bool strict = true;
};
constexpr Coding codings[] = {{CodedPicture::jpeg, AV_CODEC_ID_MJPEG, 4},
                              {CodedPicture::tiff, AV_CODEC_ID_TIFF, 0, false},
                              {CodedPicture::bmp, AV_CODEC_ID_BMP, 0},
                              {CodedPicture::webp, AV_CODEC_ID_WEBP, 4}};

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }

void check_picture(int code) {
  if (code < 0) fail("FFmpeg cannot read it: " + av_message(code));
}

FramePtr decode(std::string_view bytes, const Coding& coding, const GreyLimits& limits) {
  constexpr int silent = 100;  // beyond all levels of its log: what is wrong is said once, by us
  const AVCodec* codec = avcodec_find_decoder(coding.codec);
  if (!codec) fail("FFmpeg has no decoder for it here");
  const CodecContextPtr context(avcodec_alloc_context3(codec));
  if (!context) fail("there is no memory for its decoder");
  context->thread_count = 1;
  context->max_pixels = limits.pixels;
  context->log_level_offset = silent;
  if (coding.strict) context->err_recognition = AV_EF_EXPLODE;
  check_picture(avcodec_open2(context.get(), codec, nullptr));
  const PacketPtr packet = make_packet();
  check_picture(av_new_packet(packet.get(), static_cast<int>(bytes.size())));
  std::memcpy(packet->data, bytes.data(), bytes.size());
  FramePtr frame = make_frame();
  check_picture(avcodec_send_packet(context.get(), packet.get()));
  check_picture(avcodec_send_packet(context.get(), nullptr));
  check_picture(avcodec_receive_frame(context.get(), frame.get()));
  if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0)
    fail("it is damaged");
  if (frame->width > limits.side || frame->height > limits.side)
    fail(std::to_string(frame->width) + "x" + std::to_string(frame->height) + " is larger than " +
         std::to_string(limits.side) + "x" + std::to_string(limits.side));
  return frame;
}

template <class Level>
void take_levels(const AVFrame& rgba, int loss, GreyPicture& picture) {
  for (int y = 0; y < rgba.height; ++y) {
    const std::uint8_t* row = rgba.data[0] + std::ptrdiff_t{rgba.linesize[0]} * y;
    for (int x = 0; x < rgba.width; ++x) {
      Level pixel[4];
      std::memcpy(pixel, row + sizeof pixel * static_cast<std::size_t>(x), sizeof pixel);
      const auto [least, most] = std::minmax({pixel[0], pixel[1], pixel[2]});
      if (most - least > loss) fail("it is in colour, and has to be grey");
      if (pixel[3] != picture.max) fail("parts of it are transparent");
      picture.levels.push_back(pixel[1]);
    }
  }
}

}  // namespace

GreyPicture decode_grey_picture(std::string_view bytes, const GreyLimits& limits) {
  const CodedPicture kind = coded_picture(bytes);
  const Coding* coding = std::ranges::find(codings, kind, &Coding::picture);
  if (coding == std::end(codings)) fail("it is no picture that is known here");
  try {
    const FramePtr frame = decode(bytes, *coding, limits);
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    const bool deep = desc && desc->comp[0].depth > 8;
    Converter converter(*find_format(deep ? AV_PIX_FMT_RGBA64 : AV_PIX_FMT_RGBA), AVCOL_RANGE_JPEG,
                        AVCOL_SPC_UNSPECIFIED, plain_memory);
    const FramePtr rgba = converter.convert(*frame);
    GreyPicture picture{
        .width = rgba->width, .height = rgba->height, .max = deep ? 65535 : 255, .levels = {}};
    if (deep)
      take_levels<std::uint16_t>(*rgba, coding->loss * 257, picture);
    else
      take_levels<std::uint8_t>(*rgba, coding->loss, picture);
    return picture;
  } catch (const Error& error) {
    fail(error.why().empty() ? error.act() : error.why());
  }
}

}  // namespace vidconv
