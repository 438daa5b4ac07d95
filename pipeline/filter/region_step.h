// RegionStep runs a step that acts on a region of the picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/convolver/blend.h"
#include "kernels/convolver/convolver.h"
#include "kernels/convolver/region_windows.h"
#include "pipeline/filter/device_mask.h"
#include "pipeline/filter/edge_mask.h"
#include "pipeline/filter/processor.h"
#include "pipeline/filter/region_place.h"
#include "pipeline/work/work.h"

namespace vidconv {

// The region that a step filters in one frame. Using it again needs no new memory.
struct FrameRegion {
  std::shared_ptr<RegionPieces> pieces;  // shared by all where the place is fixed
  std::array<RegionWindows, 3> windows;  // a plane's (0) and its two fields' (1, 2)
  // The pieces' weights, where the step's blender can read them.
  std::shared_ptr<const std::uint8_t> weights;

  std::vector<PlacedBox> boxes;
  std::vector<Rect> rects;

  // Returns whether all windows are filtered before any piece is brought into the picture, so that
  // pieces may go into the picture that they are computed from.
  bool in_one_round(bool by_field) const;
};

// A place that steps act in, and what is computed once for it: all pieces of a fixed place, and on
// a CUDA device the maker of edges' weights.
struct SharedRegion {
  RegionPlace place;
  std::shared_ptr<RegionPieces> pieces = nullptr;
  std::shared_ptr<const std::uint8_t> weights = nullptr;
  std::shared_ptr<DeviceMask> mask = nullptr;
};

// The places of many steps that run one after the other: steps in the same place share it.
class SharedRegions {
 public:
  // Returns the region of `place`, which `make` makes where it is not known yet.
  template <class Make>
  const SharedRegion& find(const RegionPlace& place, const Make& make) {
    for (const SharedRegion& known : known_)
      if (known.place == place) return known;
    return known_.emplace_back(make());
  }
  // Returns the reader of a mask video, which all steps with that video share.
  std::shared_ptr<MaskVideo> video(MaskVideos& masks, const std::string& path);
  std::size_t bytes() const;  // bytes of all weights, and of what makes them

 private:
  std::deque<SharedRegion> known_;
  std::map<std::string, std::shared_ptr<MaskVideo>> videos_;
};

// Filters a step's region of the planes: windows around its pieces are filtered beside the picture,
// and the pieces are brought into it, blended by their weights where they have any.
class RegionStep {
 public:
  // `step` is one of `work` that names a region, in pictures of that size. Uses these options: the
  // device, which is current, threads, and whole_planes, which makes windows whole planes. Throws
  // Error(filter_spec) if the region does not lie in the picture.
  RegionStep(const Work& work, const Step& step, int width, int height,
             const ProcessorOptions& options, SharedRegions& known);

  RegionPlace::Kind kind() const { return place_.kind(); }
  const RegionPlace& place() const { return place_; }
  const SampleType& sample() const { return plan_.sample; }
  // Returns what is filtered: in every frame if the place is fixed, else in the frame that was set.
  const FrameRegion& now() const { return now_; }

  // Sets the unfiltered components of the next picture, before run(), if a mask is made of it.
  void set_picture(std::span<const ConstBytePlane> components, bool by_field, CudaStream stream);
  // Returns whether one set_picture() serves both steps.
  bool shares_mask(const RegionStep& other) const {
    return device_edges_ && device_edges_ == other.device_edges_;
  }
  // Sets the next frame on the CPU, which determines what is filtered if place().moves().
  void set_frame(const Frame& frame);
  // Finds what boxes or a mask video cover in a frame, but does not set `now.weights`. Where there
  // is a finder(), now.pieces are those that it has found in this frame.
  void find_region(const Frame& frame, FrameRegion& now) const;
  // Returns the index of the earlier step that finds the pieces for this one too; none: it finds
  // its own. The levels of a map share them, and all filters by one mask video.
  const std::optional<std::size_t>& finder() const { return finder_; }
  // Sets that step.
  void set_finder(std::size_t index, const RegionStep& finder) {
    finder_ = index;
    now_.pieces = finder.now_.pieces;
  }

  // A component of the picture, the same one of the result, and memory of that size, which is the
  // step's until all is brought in.
  struct Planes {
    ConstBytePlane from;
    BytePlane to, beside;
    // `to` holds the picture already. It may then be `from` too, if FrameRegion::in_one_round().
    bool copied = false;
    // It is the step's weights, the last of the components: read from `from`, and nothing else.
    bool only_read() const { return to.data == nullptr; }
  };
  // Runs the step. `convolver`: of the step's plan. Blocks or queues as Convolver::run() does.
  void run(Convolver& convolver, std::span<const Planes> components, bool by_field,
           CudaStream stream, const FrameRegion& now);
  // filter() and bring_in() do in two calls what run() does, so that several steps on different
  // components of a picture share launches. filter() adds to `left` what is still beside the
  // picture.
  void filter(Convolver& convolver, std::span<const Planes> components, bool by_field,
              CudaStream stream, const FrameRegion& now, std::vector<Blend>& left);
  // Brings in what steps of the same samples have left.
  void bring_in(std::span<const Blend> left, CudaStream stream);
  // Copies planes of the step's samples, as filters copy what they leave alone.
  void copy(std::span<const PlanePair> planes, CudaStream stream) { copier_->run(planes, stream); }

  // Adds the rectangles outside of which nothing changes in a plane (0) or in one of its fields (1,
  // 2).
  void add_rects(std::size_t which, std::vector<Rect>& rects) const;

 private:
  SharedRegion look_at(const PixelFormat& format, int width, int height) const;
  // Returns the pieces of the step's level.
  const RegionPieces::Planes& pieces(const FrameRegion& now) const {
    return now.pieces->levels[place_.level_index()];
  }
  void set_windows(FrameRegion& now) const;
  void filter_region(Convolver& convolver, std::span<const Planes> components, std::size_t which,
                     CudaStream stream, const FrameRegion& now, std::vector<Blend>& left);
  void add_pieces(std::span<const Planes> components, std::size_t which,
                  std::span<const std::size_t> parts, const FrameRegion& now,
                  std::vector<Blend>& blends) const;
  PlanePair weights_of(const ConstBytePlane& weights, const Rect& window) const;

  const Plan& plan_;
  const bool notes_;  // the boxes it acts in count as applied
  const RegionPlace place_;
  const WindowRule rule_;
  const bool cuda_;
  std::optional<std::size_t> finder_;
  std::unique_ptr<Convolver> copier_;
  std::unique_ptr<Blender> blender_;
  // Makers of a mask of edges, on the CPU and on a CUDA device; at most one is set.
  std::unique_ptr<EdgeMask> edges_;
  std::shared_ptr<DeviceMask> device_edges_;
  std::shared_ptr<MaskVideo> video_;  // shared by all steps with that video
  std::vector<PlanePair> pairs_;
  std::vector<Blend> round_, left_, weighted_;
  FrameRegion now_;
};

// One for each step of a work that acts on a region, nullptr for the others.
using RegionSteps = std::vector<std::unique_ptr<RegionStep>>;
RegionSteps make_region_steps(const Work& work, int width, int height,
                              const ProcessorOptions& options, SharedRegions& known);

}  // namespace vidconv
