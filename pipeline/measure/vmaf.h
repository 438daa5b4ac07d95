// Vmaf: computes VMAF of pictures in order with libvmaf, which is loaded on demand where installed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/av/frame.h"

namespace vidconv {

// Scores luma with one of libvmaf's own models. Belongs to one thread.
class Vmaf {
 public:
  // Throws Error(output_unsuited) where there is no libvmaf, or it does not take such pictures or
  // has no such model.
  Vmaf(const PixelFormat& format, int width, int height, const std::string& model);
  ~Vmaf();
  Vmaf(const Vmaf&) = delete;
  Vmaf& operator=(const Vmaf&) = delete;

  // Reads the next two pictures, whose samples may lie differently, and copies them. Throws
  // Error(internal).
  void read(const Frame& given, const Frame& decoded);
  // Ends the pictures.
  void finish();
  // Returns the score of the picture with that number, from 0; none where it needs later pictures.
  std::optional<double> score(unsigned number) const;

 private:
  struct Library;
  const std::unique_ptr<Library> library_;
  const int width_, height_, depth_;
  unsigned read_ = 0;
};

}  // namespace vidconv
