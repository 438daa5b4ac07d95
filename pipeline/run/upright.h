// Upright: decides whether pictures that are stored turned or mirrored, as phones do it, are turned
// sample by sample.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "pipeline/sink/sink.h"
#include "pipeline/source/source.h"

namespace vidconv {

struct OrientationRequest {
  enum class Kind : std::uint8_t {
    automatic,  // turned where the output cannot say it
    keep,
    apply,
    clockwise,  // turned by `degrees`, whatever the input says
  };
  Kind kind = Kind::automatic;
  int degrees = 0;  // 0, 90, 180 or 270
};

// Parses "auto", "keep", "apply" or a number of degrees. Throws Error(usage).
OrientationRequest parse_orientation(const std::string& text);

// Returns for each video of the source the orientation to turn its pictures by; empty where they
// stay as they are stored.
std::vector<Orientation> orientations_to_apply(const Source& source, const OrientationRequest& wish,
                                               const std::string& output,
                                               const SinkOptions& options);

// Reports what turning changes, as a loss where fields become columns.
void name_turned(const Source& source, const std::vector<Orientation>& shown,
                 const SinkOptions& options);

}  // namespace vidconv
