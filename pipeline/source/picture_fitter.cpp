#include "pipeline/source/picture_fitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "pipeline/av/colour_range.h"
#include "pipeline/av/pixel_aspect.h"

namespace vidconv {

namespace {

bool has_matrix(const PixelFormat& format) {
  return format.components[0].kind != Component::Kind::colour &&
         av_pix_fmt_desc_get(format.id)->nb_components > 2;
}

bool is_rgb(const PixelFormat& format) {
  return format.components[0].kind == Component::Kind::colour;
}

}  // namespace

bool PictureFitter::has_other_colours(const AVFrame& frame) const {
  const PixelFormat& format = *first_.format;
  if (is_rgb(format)) return false;
  const AVColorSpace first = known_matrix(first_.matrix, first_.height);
  const bool other_matrix = has_matrix(format) && frame.colorspace != AVCOL_SPC_UNSPECIFIED &&
                            frame.colorspace != first_.matrix && can_convert(frame.colorspace) &&
                            can_convert(first) && !same_matrix(frame.colorspace, first);
  const bool other_range =
      frame.color_range != AVCOL_RANGE_UNSPECIFIED &&
      is_full_range(format.id, frame.color_range) != is_full_range(format.id, first_.range);
  return other_matrix || other_range;
}

void PictureFitter::say_change(const AVFrame& frame, std::int64_t number) {
  const auto picture = [](int width, int height, const char* format) {
    return fmt::format("{}x{} {}", width, height, format);
  };
  const auto colours = [&](AVColorSpace matrix, AVColorRange range) {
    const char* name = av_color_space_name(known_matrix(matrix, first_.height));
    const bool full = is_full_range(first_.format->id, range);
    return fmt::format("{}, {} range", name ? name : "unknown", full ? "full" : "limited");
  };
  const auto changed = static_cast<AVPixelFormat>(frame.format);
  const bool resized =
      frame.width != first_.width || frame.height != first_.height || changed != first_.format->id;
  notify(
      notify_, MessageKind::picture_changes,
      resized
          ? fmt::format("the picture changes at frame {} from {} to {}: scaled to the first",
                        number, picture(first_.width, first_.height, first_.format->name.c_str()),
                        picture(frame.width, frame.height, av_get_pix_fmt_name(changed)))
          : fmt::format("the colours change at frame {} from {} to {}: converted to the first",
                        number, colours(first_.matrix, first_.range),
                        colours(frame.colorspace, frame.color_range)));
}

// An output has one value of each for all frames.
void PictureFitter::name_lost(const AVFrame& frame, std::int64_t number) {
  std::string lost;
  const auto add = [&](const char* what, const char* from, const char* to) {
    lost += fmt::format("{}{} {} to {}", lost.empty() ? "" : ", ", what, from ? from : "unknown",
                        to ? to : "unknown");
  };
  if (frame.color_trc != AVCOL_TRC_UNSPECIFIED && frame.color_trc != first_.transfer &&
      !(is_usual(frame.color_trc) && is_usual(first_.transfer)))
    add("transfer", av_color_transfer_name(first_.transfer),
        av_color_transfer_name(frame.color_trc));
  if (frame.color_primaries != AVCOL_PRI_UNSPECIFIED && frame.color_primaries != first_.primaries &&
      !(is_usual(frame.color_primaries, first_.height) &&
        is_usual(first_.primaries, first_.height)))
    add("primaries", av_color_primaries_name(first_.primaries),
        av_color_primaries_name(frame.color_primaries));
  const bool has_matrices = has_matrix(*first_.format) && !is_rgb(*first_.format);
  const AVColorSpace first = known_matrix(first_.matrix, first_.height);
  if (has_matrices && frame.colorspace != AVCOL_SPC_UNSPECIFIED &&
      frame.colorspace != AVCOL_SPC_RGB && frame.colorspace != first &&
      !(can_convert(frame.colorspace) && can_convert(first)))
    add("matrix", av_color_space_name(first), av_color_space_name(frame.colorspace));
  if (lost.empty()) return;
  named_ = true;
  notify(lose_, MessageKind::not_held,
         fmt::format("the video changes at frame {}, and the output says of all frames what the "
                     "first ones had: {}",
                     number, lost));
}

// Pictures of a sequence may each have a format of their own.
void PictureFitter::name_poorer_format(const AVFrame& frame, std::int64_t number) {
  if (format_is_named_ || frame.format == first_.format->id) return;
  const AVPixFmtDescriptor* has = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const AVPixFmtDescriptor& keeps = *av_pix_fmt_desc_get(first_.format->id);
  if (!has) return;
  std::string lost;
  const auto add = [&](bool is_lost, const std::string& what) {
    if (is_lost) lost += (lost.empty() ? "" : ", ") + what;
  };
  const bool palette = has->flags & AV_PIX_FMT_FLAG_PAL;
  add((has->nb_components > 2 || palette) && keeps.nb_components < 3, "its colours");
  add(has->nb_components > 2 && keeps.nb_components > 2 &&
          (has->log2_chroma_w < keeps.log2_chroma_w || has->log2_chroma_h < keeps.log2_chroma_h),
      "its finer chroma");
  add((has->flags & AV_PIX_FMT_FLAG_ALPHA) && !palette && !(keeps.flags & AV_PIX_FMT_FLAG_ALPHA),
      "its transparency");
  add(!palette && has->comp[0].depth > keeps.comp[0].depth,
      fmt::format("{} of {} bits", has->comp[0].depth - keeps.comp[0].depth, has->comp[0].depth));
  if (lost.empty()) return;
  format_is_named_ = true;
  notify(lose_, MessageKind::not_held,
         fmt::format("picture {} is {}, and all are made {} as the first one is, without {}",
                     number, has->name, first_.format->name, lost));
}

void PictureFitter::name_lost_metadata(const AVFrame& frame, std::int64_t number) {
  const DynamicHdr lost = dynamic_hdr_of(frame);
  if (lost.empty() || metadata_is_named_) return;
  metadata_is_named_ = true;
  notify(lose_, MessageKind::not_held,
         fmt::format("the metadata of each picture is not kept where they are scaled, from frame "
                     "{} on: {}",
                     number, fmt::join(lost, ", ")));
}

// Pictures that say what the first one says have the shape that the container says.
void PictureFitter::set_aspect(AVFrame& frame) {
  AVRational& aspect = frame.sample_aspect_ratio;
  if (coded_aspect_.num <= 0) coded_aspect_ = aspect;
  if (aspect.num <= 0 || same_aspect(aspect, coded_aspect_)) aspect = first_.sample_aspect;
}

void PictureFitter::scale_aspect(const AVFrame& from, AVFrame& to) const {
  if (from.sample_aspect_ratio.num <= 0) return;
  const auto product = [](int a, int b) { return static_cast<std::int64_t>(a) * b; };
  AVRational scaled{1, 1};
  av_reduce(&scaled.num, &scaled.den, product(from.width, to.height),
            product(from.height, to.width), INT32_MAX);
  to.sample_aspect_ratio = av_mul_q(from.sample_aspect_ratio, scaled);
}

FramePtr PictureFitter::fit(FramePtr frame, std::int64_t number, bool on_device) {
  set_aspect(*frame);
  if (!named_) name_lost(*frame, number);
  const bool same_size = frame->width == first_.width && frame->height == first_.height;
  // A frame on a device has the device's format.
  const bool same_format = frame->format == first_.format->id;
  if (same_size && same_format && !has_other_colours(*frame)) return frame;
  if (on_device)
    throw Error(Fault::device, "cannot scale on the device", "",
                "the picture changes in the middle of the stream", "use `decoder` cpu");
  name_poorer_format(*frame, number);
  if (!converter_) {
    say_change(*frame, number);
    const AVColorSpace matrix =
        has_matrix(*first_.format) ? known_matrix(first_.matrix, first_.height) : first_.matrix;
    converter_.emplace(*first_.format, first_.range,
                       can_convert(matrix) ? matrix : AVCOL_SPC_UNSPECIFIED, memory_);
    converter_->scale_to(first_.width, first_.height);
  }
  if (same_format && frame->color_range == AVCOL_RANGE_UNSPECIFIED)
    frame->color_range = first_.range;
  if (same_size && frame->colorspace == AVCOL_SPC_UNSPECIFIED) frame->colorspace = first_.matrix;
  FramePtr fitted = converter_->convert(*frame);
  if (!same_size) {
    name_lost_metadata(*frame, number);
    forget_dynamic_hdr(*fitted);
    scale_aspect(*frame, *fitted);
  }
  return fitted;
}

}  // namespace vidconv
