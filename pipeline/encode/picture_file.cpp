#include "pipeline/encode/picture_file.h"

#include <vector>

#include "pipeline/av/convert/convert.h"
#include "pipeline/io/byte_io.h"

namespace vidconv {
namespace {

const AVCodec& encoder_for(const std::string& path) {
  const AVOutputFormat* pictures = av_guess_format("image2", nullptr, nullptr);
  const bool is_picture = av_match_ext(path.c_str(), pictures->extensions) != 0;
  const AVCodecID id =
      is_picture ? av_guess_codec(pictures, nullptr, path.c_str(), nullptr, AVMEDIA_TYPE_VIDEO)
                 : AV_CODEC_ID_NONE;
  const AVCodec* encoder = avcodec_find_encoder(id);
  if (!encoder)
    throw Error(Fault::usage, "cannot write a picture", path, "its ending means no kind of picture",
                "use .png or .jpg");
  return *encoder;
}

// Returns the picture in the encoder's best format for it.
FramePtr converted(const AVFrame& picture, const AVCodec& encoder) {
  std::vector<AVPixelFormat> formats = supported_formats(encoder);
  std::erase_if(formats, [](AVPixelFormat id) {
    AVColorRange range{};
    return find_format(without_range(id, range)) == nullptr;
  });
  formats.push_back(AV_PIX_FMT_NONE);
  const AVPixelFormat best = avcodec_find_best_pix_fmt_of_list(
      formats.data(), static_cast<AVPixelFormat>(picture.format), 0, nullptr);
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  const PixelFormat* format = find_format(without_range(best, range));
  if (!format) throw Error(Fault::internal, "no pixel format for the encoder", encoder.name, "");
  FramePtr result = Converter(*format, range, AVCOL_SPC_UNSPECIFIED, plain_memory).convert(picture);
  result->format = best;
  return result;
}

PacketPtr encoded(const AVFrame& picture, const std::string& path) {
  const AVCodec& encoder = encoder_for(path);
  const auto check = [&](int code) {
    check_av(code, Fault::output, "cannot encode the picture", path);
  };
  const FramePtr frame = converted(picture, encoder);
  const CodecContextPtr context(avcodec_alloc_context3(&encoder));
  if (!context) check(AVERROR(ENOMEM));
  context->width = frame->width;
  context->height = frame->height;
  context->pix_fmt = static_cast<AVPixelFormat>(frame->format);
  context->color_range = frame->color_range;
  context->time_base = {1, 1};
  context->flags |= AV_CODEC_FLAG_QSCALE;  // makes lossy encoders lose hardly anything
  context->global_quality = 2 * FF_QP2LAMBDA;
  check(avcodec_open2(context.get(), &encoder, nullptr));
  frame->quality = context->global_quality;
  frame->pts = 0;
  forget_picture_type(*frame);
  PacketPtr packet = make_packet();
  check(avcodec_send_frame(context.get(), frame.get()));
  check(avcodec_send_frame(context.get(), nullptr));
  check(avcodec_receive_packet(context.get(), packet.get()));
  return packet;
}

}  // namespace

std::int64_t write_picture(const AVFrame& picture, const std::string& path,
                           const PartialFile::Options& options) {
  const PacketPtr packet = encoded(picture, path);
  PartialFile file(path, options);
  ByteWriter(file.fd(), path)
      .write({reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)});
  file.commit();
  return packet->size;
}

std::string encode_picture(const AVFrame& picture, const std::string& ending) {
  const PacketPtr packet = encoded(picture, "picture" + ending);
  return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

}  // namespace vidconv
