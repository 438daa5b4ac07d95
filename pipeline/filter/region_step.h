// RegionStep: a step that acts on a part of the picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
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

// What a step filters of one frame. One that is used again needs no new memory.
struct FrameRegion {
  std::shared_ptr<RegionPieces> pieces;  // of a fixed place: everyone's
  std::array<RegionWindows, 3> windows;  // of each of its planes
  // The pieces' weights, where the step's blender reads them.
  std::shared_ptr<const std::uint8_t> weights;

  std::vector<PlacedBox> boxes;
  std::vector<Rect> rects;

  // Whether nothing that is read for a piece has changed by then where pieces are brought into the
  // picture that they are made of.
  bool in_one_round(bool by_field) const;
};

// What is known of a place that steps have: of one that is fixed all, on a CUDA device what makes
// weights of edges.
struct SharedRegion {
  RegionPlace place;
  std::shared_ptr<RegionPieces> pieces = nullptr;
  std::shared_ptr<const std::uint8_t> weights = nullptr;
  std::shared_ptr<DeviceMask> mask = nullptr;
};

// Of many steps, which run one after the other: those in the same place share it.
class SharedRegions {
 public:
  // Where it is not known, `make` says what there is to know.
  template <class Make>
  const SharedRegion& find(const RegionPlace& place, const Make& make) {
    for (const SharedRegion& known : known_)
      if (known.place == place) return known;
    return known_.emplace_back(make());
  }
  // What reads a mask video.
  std::shared_ptr<MaskVideo> video(MaskVideos& masks, const std::string& path);
  std::size_t bytes() const;  // of all weights, and what makes them

 private:
  std::deque<SharedRegion> known_;
  std::map<std::string, std::shared_ptr<MaskVideo>> videos_;
};

// How a step acts on its part of the planes: windows around its pieces are filtered beside the
// picture, and what they hold of the pieces is brought into it, or as much of it as their weights
// say.
class RegionStep {
 public:
  // Of a step of `work` that says where, in pictures of that size. Of the options the device, which
  // is current, threads and whole_planes, with which windows are whole planes. Throws
  // Error(filter_spec) where the part does not lie in the picture.
  RegionStep(const Work& work, const Step& step, int width, int height,
             const ProcessorOptions& options, SharedRegions& known);

  RegionPlace::Kind kind() const { return place_.kind(); }
  const RegionPlace& place() const { return place_; }
  const SampleType& sample() const { return plan_.sample; }
  // What is filtered of each frame, of a fixed place; of the frame that was set, of others.
  const FrameRegion& now() const { return now_; }

  // Before run(): the picture that is next, of which these are the components, unfiltered, where a
  // mask is made of it.
  void set_picture(std::span<const ConstBytePlane> components, bool by_field, CudaStream stream);
  // Whether that does for both steps.
  bool shares_mask(const RegionStep& other) const {
    return device_edges_ && device_edges_ == other.device_edges_;
  }
  // On the CPU: the same of its frame, which says what is filtered where place().moves().
  void set_frame(const Frame& frame);
  // What boxes and mask videos make of a frame, but for where their weights can be read.
  void find_region(const Frame& frame, FrameRegion& now) const;

  // A component of the picture, the same of the result, and memory for as much, which is the
  // step's until all is brought in.
  struct Planes {
    ConstBytePlane from;
    BytePlane to, beside;
    // `to` holds the picture already. Then it may be `from` too, where FrameRegion::in_one_round().
    bool copied = false;
  };
  // `convolver`: of the step's plan. As Convolver::run().
  void run(Convolver& convolver, std::span<const Planes> components, bool by_field,
           CudaStream stream, const FrameRegion& now);
  // In steps, so that several which act on different components of a picture share what a device
  // starts. As run(), but what is still beside the picture is added to `left`,
  void filter(Convolver& convolver, std::span<const Planes> components, bool by_field,
              CudaStream stream, const FrameRegion& now, std::vector<Blend>& left);
  // for a step of the same samples.
  void bring_in(std::span<const Blend> left, CudaStream stream);
  // Planes of the step's samples, as filters pass on what they leave alone.
  void copy(std::span<const PlanePair> planes, CudaStream stream) { copier_->run(planes, stream); }

  // Adds the rectangles outside of which nothing of a plane is changed: of a whole plane (0), or of
  // one of its fields (1, 2).
  void add_rects(std::size_t which, std::vector<Rect>& rects) const;

 private:
  SharedRegion look_at(const PixelFormat& format, int width, int height) const;
  void set_windows(FrameRegion& now) const;
  void filter_region(Convolver& convolver, std::span<const Planes> components, std::size_t which,
                     CudaStream stream, const FrameRegion& now, std::vector<Blend>& left);
  void add_pieces(std::span<const Planes> components, std::size_t which,
                  std::span<const std::size_t> parts, const FrameRegion& now,
                  std::vector<Blend>& blends) const;

  const Plan& plan_;
  const bool notes_;  // the boxes that it acts in
  const RegionPlace place_;
  const WindowRule rule_;
  const bool cuda_;
  std::unique_ptr<Convolver> copier_;
  std::unique_ptr<Blender> blender_;
  // Of a step with a mask of edges, by the device.
  std::unique_ptr<EdgeMask> edges_;
  std::shared_ptr<DeviceMask> device_edges_;
  std::shared_ptr<MaskVideo> video_;  // of a step with one, everyone's
  std::vector<PlanePair> pairs_;
  std::vector<Blend> round_, left_, weighted_;
  FrameRegion now_;
};

// One for each step of a work that acts on a part, nullptr for the others.
using RegionSteps = std::vector<std::unique_ptr<RegionStep>>;
RegionSteps make_region_steps(const Work& work, int width, int height,
                              const ProcessorOptions& options, SharedRegions& known);

}  // namespace vidconv
