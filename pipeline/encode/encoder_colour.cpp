#include "pipeline/encode/encoder_colour.h"

#include <fmt/format.h>

#include "pipeline/av/colour_range.h"
#include "pipeline/av/convert/convert.h"

namespace vidconv {
namespace {

bool is_rgb(const PixelFormat& format) {
  return format.components[0].kind == Component::Kind::colour;
}
bool has_chroma(const PixelFormat& format) {
  return !is_rgb(format) && av_pix_fmt_desc_get(format.id)->nb_components > 2;
}
bool is_subsampled(const PixelFormat& format) {
  const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(format.id);
  return has_chroma(format) && (desc.log2_chroma_w > 0 || desc.log2_chroma_h > 0);
}

bool is_at_left(AVChromaLocation siting) {
  return siting == AVCHROMA_LOC_LEFT || siting == AVCHROMA_LOC_TOPLEFT ||
         siting == AVCHROMA_LOC_BOTTOMLEFT;
}

// Where every row has chroma, only the horizontal siting counts.
bool same_siting(const PixelFormat& format, AVChromaLocation a, AVChromaLocation b) {
  if (a == b) return true;
  return av_pix_fmt_desc_get(format.id)->log2_chroma_h == 0 && is_at_left(a) == is_at_left(b);
}

void add(std::string& list, const std::string& words) {
  list += (list.empty() ? "" : ", ") + words;
}
std::string named(const char* what, const char* value) {
  return fmt::format("{} {}", what, value ? value : "unknown");
}

class Colours {
 public:
  Colours(const EncoderChoice& choice, const VideoInfo& video, const PixelFormat& coded)
      : words_(choice.colours),
        full_only_(choice.defaults.full_range_only),
        video_(video),
        coded_(coded) {}

  CodedColours all(AVColorRange asked) {
    set_range(asked);
    set_matrix();
    set_others();
    if (is_rgb(*video_.format) && has_chroma(coded_))
      c_.assumed = named("matrix", av_color_space_name(c_.matrix)) +
                   (c_.range == AVCOL_RANGE_JPEG ? ", full range" : ", limited range");
    else if (has_chroma(*video_.format) && is_rgb(coded_))
      c_.assumed = named("matrix", av_color_space_name(known_matrix(video_.matrix, video_.height)));
    return c_;
  }

 private:
  void set_range(AVColorRange asked) {
    const bool was_full = is_full_range(video_.format->id, video_.range);
    c_.range = video_.range;
    if (is_rgb(coded_)) {
      if (!is_rgb(*video_.format)) c_.range = AVCOL_RANGE_JPEG;
      return;
    }
    const bool silent_full = is_full_range(coded_.id, AVCOL_RANGE_UNSPECIFIED);
    bool full = full_only_ || asked == AVCOL_RANGE_JPEG || (was_full && !is_rgb(*video_.format)) ||
                (is_rgb(*video_.format) && silent_full);
    if (!full_only_ && asked != AVCOL_RANGE_JPEG && full != silent_full && !words_.range) {
      add(c_.converted, full ? "full range to limited" : "limited range to full");
      full = silent_full;
    } else if (full_only_ && !was_full) {
      add(c_.converted, "limited range to full");
    }
    const bool is_silent = video_.range == AVCOL_RANGE_UNSPECIFIED && full == silent_full &&
                           !is_rgb(*video_.format) && !full_only_ &&
                           !(full && words_.limited_unless_said);
    c_.range = is_silent ? AVCOL_RANGE_UNSPECIFIED : full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    c_.changes_samples |= full != was_full;
  }

  void set_matrix() {
    c_.matrix = video_.matrix;
    if (is_rgb(coded_)) c_.matrix = AVCOL_SPC_RGB;
    if (!has_chroma(coded_)) return;
    const bool was_rgb = is_rgb(*video_.format);
    const AVColorSpace usual = usual_matrix(video_.height);
    const AVColorSpace assumed =
        words_.only_matrix != AVCOL_SPC_UNSPECIFIED ? words_.only_matrix : usual;
    const AVColorSpace was = was_rgb ? assumed : known_matrix(video_.matrix, video_.height);
    if (was_rgb) {
      c_.matrix = assumed;
    } else if (!words_.matrix && !same_matrix(was, assumed)) {
      if (can_convert(was)) {
        add(c_.converted, fmt::format("{} to {}", named("matrix", av_color_space_name(was)),
                                      av_color_space_name(assumed)));
        c_.matrix = assumed;
        c_.changes_samples = true;
      } else {
        add(c_.lost, named("matrix", av_color_space_name(was)));
      }
    }
  }

  void set_others() {
    c_.primaries = video_.primaries;
    c_.transfer = video_.transfer;
    c_.siting = is_subsampled(coded_) ? video_.chroma_location : AVCHROMA_LOC_UNSPECIFIED;
    if (!words_.primaries && !is_usual(c_.primaries, video_.height))
      add(c_.lost, named("primaries", av_color_primaries_name(c_.primaries)));
    if (!words_.transfer && !is_usual(c_.transfer))
      add(c_.lost, named("transfer", av_color_transfer_name(c_.transfer)));
    const AVChromaLocation assumed =
        words_.only_siting != AVCHROMA_LOC_UNSPECIFIED ? words_.only_siting : AVCHROMA_LOC_LEFT;
    if (!words_.siting && c_.siting != AVCHROMA_LOC_UNSPECIFIED &&
        !same_siting(coded_, c_.siting, assumed))
      add(c_.lost, named("chroma at", av_chroma_location_name(c_.siting)));
  }

  const ColourWords& words_;
  const bool full_only_;
  const VideoInfo& video_;
  const PixelFormat& coded_;
  CodedColours c_{};
};

}  // namespace

CodedColours coded_colours(const EncoderChoice& choice, const VideoInfo& video,
                           const PixelFormat& coded, AVColorRange asked) {
  return Colours(choice, video, coded).all(asked);
}

}  // namespace vidconv
