// --gallery: every filter applied to one frame, labelled, on one sheet.
#pragma once

#include <vector>

#include "pipeline/filter/work.h"
#include "pipeline/source/source.h"

namespace vidconv {

struct GalleryOptions {
  std::vector<FilterSpec> filters;  // empty: every one of the table, with its defaults
  PlaneSelection planes;
  Border border;
  int threads = 1;
  bool originals = false;  // a tile shows what other filters with a place hide
};

// The next frame of `source`, made small enough for a sheet and then filtered, so that what filters
// do to pixels stays visible. Where a filter of the table leaves the picture nearly black, its tile
// is of the filter with a `scale`, which the label says. Packed RGB of 8 bits. Throws Error(input)
// where there is no frame.
FramePtr draw_gallery(Source& source, const GalleryOptions& options);

}  // namespace vidconv
