// VMAF of pictures in order, by libvmaf where it is installed: it is loaded when it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/av/frame.h"

namespace vidconv {

// Of luma, by a model that is libvmaf's own. One thread.
class Vmaf {
 public:
  // Throws Error(output_unsuited) where there is no libvmaf, it does not take such pictures or has
  // no such model.
  Vmaf(const PixelFormat& format, int width, int height, const std::string& model);
  ~Vmaf();
  Vmaf(const Vmaf&) = delete;
  Vmaf& operator=(const Vmaf&) = delete;

  // The next two pictures, which lie alike or not. Copies them. Throws Error(internal).
  void read(const Frame& given, const Frame& decoded);
  // No more.
  void finish();
  // Of the picture with that number, from 0; none where it needs those that follow.
  std::optional<double> score(unsigned number) const;

 private:
  struct Library;
  const std::unique_ptr<Library> library_;
  const int width_, height_, depth_;
  unsigned read_ = 0;
};

}  // namespace vidconv
