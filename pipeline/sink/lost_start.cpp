#include "pipeline/sink/lost_start.h"

#include <fmt/format.h>

namespace vidconv {

bool holds_start(const AVOutputFormat& container) {
  if (container.flags & AVFMT_NOTIMESTAMPS) return false;
  for (const std::string_view name : {"apng", "gif", "ismv", "rm", "swf", "webp"})
    if (container.name == name) return false;
  return true;
}

void name_lost_start(std::string_view holder, double seconds, const Notify& lose) {
  if (seconds != 0)
    notify(lose, MessageKind::not_held,
           fmt::format("{} cannot say that the first picture is shown at {:.6g} s: it is at 0",
                       holder, seconds));
}

}  // namespace vidconv
