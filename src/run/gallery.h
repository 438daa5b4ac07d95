// --gallery shows every filter applied to one frame, labelled, on one sheet.
#pragma once

#include <vector>

#include "pipeline/source/source.h"
#include "pipeline/work/work.h"

namespace vidconv {

struct GalleryOptions {
  std::vector<FilterSpec> filters;  // empty: all filters of the table, with their defaults
  PlaneSelection planes;
  Border border;
  int threads = 1;
  bool originals = false;  // a tile shows what other filters with a place hide
};

// Takes the next frame of `source`, scales it down for the sheet and then filters it, so that the
// effect on pixels stays visible. Filters over time show what they make of it with the frames after
// it, or of a later frame, as many as they look back. If a filter of the table leaves the picture
// nearly black, its tile shows the filter with a `scale`, which the label names. Returns packed RGB
// of 8 bits. Throws Error(input) if there is no frame.
FramePtr draw_gallery(Source& source, const GalleryOptions& options);

}  // namespace vidconv
