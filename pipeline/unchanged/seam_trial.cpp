#include "pipeline/unchanged/seam_trial.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "pipeline/av/pool.h"
#include "pipeline/decode/nal_units.h"
#include "pipeline/unchanged/key_packets.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_seam(const AVCodecParameters& stream, const std::string& why) {
  throw Error(Fault::output, "cannot go on in a stream of", avcodec_get_name(stream.codec_id), why);
}

// A picture, and the profile of the stream at that place.
struct Decoded {
  FramePtr frame;
  int profile;
};

std::vector<Decoded> decode(const std::vector<const AVPacket*>& packets,
                            const AVCodecParameters& header) {
  const AVCodec* codec = avcodec_find_decoder(header.codec_id);
  CodecContextPtr context(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!context) refuse_seam(header, "there is no decoder to try it");
  check_av(avcodec_parameters_to_context(context.get(), &header), Fault::output,
           "cannot decode what is to be joined");
  context->thread_count = 1;
  check_av(avcodec_open2(context.get(), codec, nullptr), Fault::output,
           "cannot decode what is to be joined");
  std::vector<Decoded> all;
  const auto take = [&] {
    for (FramePtr frame = make_frame(); avcodec_receive_frame(context.get(), frame.get()) >= 0;
         frame = make_frame())
      all.push_back({std::move(frame), context->profile});
  };
  for (const AVPacket* packet : packets) {
    const PacketPtr shared = share_packet(*packet);
    if (avcodec_send_packet(context.get(), shared.get()) < 0)
      refuse_seam(header, "a decoder refuses what is joined");
    take();
  }
  avcodec_send_packet(context.get(), nullptr);
  take();
  return all;
}

// Brings a decoder's picture into the memory and under the name that pictures have in a run.
Frame as_in_run(const AVFrame& decoded, const VideoInfo& video) {
  FramePool pool(aligned_layout(*video.format, video.width, video.height), plain_memory);
  FramePtr frame = pool.get();
  const FramePtr source(av_frame_clone(&decoded));
  if (!source) throw_out_of_memory("for a frame");
  source->format = frame->format;  // a yuvj format has the layout of its plain one
  check_av(av_frame_copy(frame.get(), source.get()), Fault::output, "cannot copy a picture");
  copy_properties(decoded, *frame);
  frame->pts = 0;
  set_frame_duration(*frame, 1);
  return {std::move(frame), 0};
}

std::string difference(const Decoded& a, const Decoded& b) {
  const AVFrame &from = *a.frame, &to = *b.frame;
  constexpr int constrained = 1 << 9;  // fewer tools of the same profile of H.264
  if ((a.profile & ~constrained) != (b.profile & ~constrained))
    return fmt::format("the profile is {}, not {}", b.profile, a.profile);
  if (from.width != to.width || from.height != to.height)
    return fmt::format("the size is {}x{}, not {}x{}", to.width, to.height, from.width,
                       from.height);
  if (from.format != to.format)
    return fmt::format("the pixel format is {}, not {}",
                       av_get_pix_fmt_name(static_cast<AVPixelFormat>(to.format)),
                       av_get_pix_fmt_name(static_cast<AVPixelFormat>(from.format)));
  if (av_cmp_q(from.sample_aspect_ratio, to.sample_aspect_ratio) != 0)
    return "the shape of pixels is another";
  if (from.color_range != to.color_range || from.color_primaries != to.color_primaries ||
      from.color_trc != to.color_trc || from.colorspace != to.colorspace ||
      from.chroma_location != to.chroma_location)
    return "the colours are others";
  return {};
}

bool same_samples(const AVFrame& a, const AVFrame& b, const VideoInfo& video) {
  return equal_pictures(as_in_run(a, video), as_in_run(b, video));
}

}  // namespace

void try_seam(const AVPacket& key, const AVCodecParameters& stream, const VideoInfo& video,
              Encoder& encoder, const StreamFit& fit) {
  const std::vector<Decoded> alone = decode({&key}, stream);
  if (alone.size() != 1 || alone[0].frame->width != video.width ||
      alone[0].frame->height != video.height)
    refuse_seam(stream, "its key frames are not decoded alone");
  std::vector<PacketPtr> encoded;
  const auto keep = [&](AVPacket& packet) {
    encoded.push_back(share_packet(packet));
    fit.fit(*encoded.back());
  };
  encoder.write(as_in_run(*alone[0].frame, video), keep);
  encoder.finish(keep);
  const CodecParametersPtr header(avcodec_parameters_alloc());
  if (!header) throw_out_of_memory("for the encoder", encoder.codec().name);
  encoder.describe(*header);
  fit.describe(*header);
  const bool has_sets = header->extradata_size > 0;
  if (encoded.size() != 1 || key_packet(*encoded[0], stream.codec_id, nal_length_size(*header),
                                        has_sets) == KeyPacket::none)
    refuse_seam(stream, fmt::format("{} does not begin with a key frame that has all its headers",
                                    encoder.codec().name));
  const std::vector<Decoded> joined = decode({&key, encoded[0].get(), &key}, *header);
  if (joined.size() != 3) refuse_seam(stream, "a decoder does not show all that is joined");
  for (const std::size_t i : {0U, 2U})
    if (!same_samples(*alone[0].frame, *joined[i].frame, video))
      refuse_seam(stream, "a decoder shows other pictures beside those that are encoded");
  for (const std::size_t i : {0U, 2U})
    if (const std::string differs = difference(joined[i], joined[1]); !differs.empty())
      refuse_seam(stream, fmt::format("of {}'s frames {}", encoder.codec().name, differs));
}

}  // namespace vidconv
