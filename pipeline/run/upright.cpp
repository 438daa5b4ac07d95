#include "pipeline/run/upright.h"

#include <algorithm>
#include <array>

#include "kernels/base/names.h"
#include "kernels/base/numbers.h"
#include "pipeline/av/convert/turner.h"
#include "pipeline/base/error.h"
#include "pipeline/base/printable.h"

namespace vidconv {
namespace {

Orientation clockwise(int degrees) {
  constexpr std::array<Orientation, 4> quarters{{{}, {0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}}};
  return quarters.at(static_cast<std::size_t>(degrees / 90));
}

}  // namespace

OrientationRequest parse_orientation(const std::string& text) {
  using Kind = OrientationRequest::Kind;
  if (same_name(text, "auto")) return {};
  if (same_name(text, "keep")) return {Kind::keep};
  if (same_name(text, "apply")) return {Kind::apply};
  const auto degrees = number_of<int>(text, 0, 270);
  if (!degrees || *degrees % 90 != 0)
    throw Error(Fault::usage, "`orientation`", shortened(text, longest_value),
                "pictures are turned by quarters" + did_you_mean(text, {"auto", "keep", "apply"}),
                "use auto, keep, apply, 0, 90, 180 or 270");
  return {Kind::clockwise, *degrees};
}

std::vector<Orientation> orientations_to_apply(const Source& source, const OrientationRequest& wish,
                                               const std::string& output,
                                               const SinkOptions& options) {
  using Kind = OrientationRequest::Kind;
  std::vector<Orientation> shown;
  for (const InputVideo& video : source.videos())
    shown.push_back(wish.kind == Kind::clockwise ? clockwise(wish.degrees) : video.info.shown);
  if (wish.kind == Kind::clockwise) return shown;
  const bool upright = std::ranges::all_of(shown, &Orientation::is_upright);
  const bool stays = wish.kind == Kind::keep ||
                     (wish.kind == Kind::automatic && keeps_orientation(output, options));
  return upright || stays ? std::vector<Orientation>() : shown;
}

void name_turned(const Source& source, const std::vector<Orientation>& shown,
                 const SinkOptions& options) {
  const std::vector<InputVideo> videos = source.videos();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    VideoInfo video = videos[i].info;
    video.shown = shown[i];
    if (video.shown.is_upright()) continue;
    const std::string changed = changed_by_turning(video);
    notify(options.notify, MessageKind::converted,
           "the video is stored " + words_without(video.shown) + ": its pictures are turned" +
               (changed.empty() ? "" : ", " + changed) + "; `orientation` keep leaves them");
    const std::string lost = lost_by_turning(video);
    if (!lost.empty()) notify(options.loss(), MessageKind::not_held, lost);
  }
}

}  // namespace vidconv
