#include "pipeline/work/light.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "pipeline/av/convert/convert.h"

extern "C" {
#include <libavutil/csp.h>
}

namespace vidconv {
namespace {

std::optional<Transfer> transfer_of(AVColorTransferCharacteristic transfer) {
  switch (transfer) {
    case AVCOL_TRC_BT709:
    case AVCOL_TRC_SMPTE170M:
    case AVCOL_TRC_BT2020_10:
    case AVCOL_TRC_BT2020_12:
    case AVCOL_TRC_IEC61966_2_4:  // BT.709, continued below 0 and beyond 1
      return Transfer::bt709;
    case AVCOL_TRC_IEC61966_2_1:
      return Transfer::srgb;
    case AVCOL_TRC_GAMMA22:
      return Transfer::gamma22;
    case AVCOL_TRC_GAMMA28:
      return Transfer::gamma28;
    case AVCOL_TRC_SMPTE240M:
      return Transfer::smpte240m;
    case AVCOL_TRC_SMPTE2084:
      return Transfer::pq;
    case AVCOL_TRC_ARIB_STD_B67:
      return Transfer::hlg;
    case AVCOL_TRC_LINEAR:
      return Transfer::linear;
    default:
      return std::nullopt;
  }
}

Transfer known_transfer(const VideoInfo& video, ColourModel model, const Notify& to) {
  if (video.transfer == AVCOL_TRC_UNSPECIFIED) {
    const Transfer assumed = model == ColourModel::yuv ? Transfer::bt709 : Transfer::srgb;
    notify(to, MessageKind::assumed,
           std::string("`linear`: the video does not say its transfer function: ") +
               (assumed == Transfer::bt709 ? "BT.709" : "sRGB") + " is assumed");
    return assumed;
  }
  if (const auto transfer = transfer_of(video.transfer)) return *transfer;
  const char* name = av_color_transfer_name(video.transfer);
  throw Error(MessageKind::filter_spec, "cannot filter in linear light", name ? name : "",
              "the video's transfer function is not known here", "leave `linear` out");
}

void set_matrix(LightPlan& plan, const VideoInfo& video, const Notify& to) {
  AVColorSpace matrix = video.matrix;
  if (matrix == AVCOL_SPC_UNSPECIFIED) {
    matrix = usual_matrix(video.height);
    notify(to, MessageKind::assumed,
           std::string("`linear`: the video does not say its colour matrix: ") +
               av_color_space_name(matrix) + " is assumed, as usual at its height");
  }
  const AVLumaCoefficients* luma =
      can_convert(matrix) ? av_csp_luma_coeffs_from_avcsp(matrix) : nullptr;
  const char* name = av_color_space_name(matrix);
  if (!luma)
    throw Error(MessageKind::filter_spec, "cannot filter in linear light", name ? name : "",
                "the video's colour matrix is not known here", "leave `linear` out");
  plan.kr = av_q2d(luma->cr);
  plan.kb = av_q2d(luma->cb);
}

void set_siting(LightPlan& plan, AVChromaLocation location) {
  const bool first_column = location == AVCHROMA_LOC_LEFT || location == AVCHROMA_LOC_TOPLEFT ||
                            location == AVCHROMA_LOC_BOTTOMLEFT ||
                            location == AVCHROMA_LOC_UNSPECIFIED;
  const bool first_row = location == AVCHROMA_LOC_TOPLEFT || location == AVCHROMA_LOC_TOP;
  plan.siting_x = first_column ? Siting::first : Siting::centre;
  plan.siting_y = first_row ? Siting::first : Siting::centre;
}

}  // namespace

LightPlan make_light_plan(const VideoInfo& video, Codes codes, const Notify& to) {
  const auto& components = video.format->components;
  LightPlan plan;
  plan.sample = components[0].sample;
  if (plan.sample.storage == Storage::f32)
    throw Error(MessageKind::filter_spec, "cannot filter in linear light", video.format->name,
                "float samples are filtered as they are", "leave `linear` out");
  const auto chroma = std::ranges::find(components, Component::Kind::chroma, &Component::kind);
  plan.model = components[0].kind == Component::Kind::colour ? ColourModel::rgb
               : chroma != components.end()                  ? ColourModel::yuv
                                                             : ColourModel::grey;
  plan.transfer = known_transfer(video, plan.model, to);
  plan.limited = is_limited_range(video);
  plan.codes = codes;
  if (plan.model == ColourModel::yuv) {
    set_matrix(plan, video, to);
    plan.subsampling = chroma->subsampling;
    set_siting(plan, video.chroma_location);
  }
  return plan;
}

std::string describe(const LightPlan& plan) {
  std::ostringstream text;
  const auto transfer = std::ranges::find(transfers, plan.transfer, &TransferName::transfer);
  text << transfer->name << " transfer, " << (plan.limited ? "limited" : "full") << " range";
  if (plan.model == ColourModel::yuv) {
    text << ", luma " << plan.kr << " R + " << 1 - plan.kr - plan.kb << " G + " << plan.kb << " B";
    const auto siting = [](int factor, Siting s) {
      return factor == 2 && s == Siting::first ? "on the first" : "between";
    };
    if (plan.subsampling.x > 1)
      text << ", chroma " << siting(plan.subsampling.x, plan.siting_x) << " of "
           << plan.subsampling.x << " columns";
    if (plan.subsampling.y > 1)
      text << (plan.subsampling.x > 1 ? " and " : ", chroma ")
           << siting(plan.subsampling.y, plan.siting_y) << " of " << plan.subsampling.y << " rows";
  }
  return text.str();
}

}  // namespace vidconv
