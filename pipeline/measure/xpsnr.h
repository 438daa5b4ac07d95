// Xpsnr: computes XPSNR of pictures in order with the filter of libavfilter, which is loaded on
// demand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/av/frame.h"

namespace vidconv {

class Xpsnr {
 public:
  // Throws Error(output_unsuited) where no libavfilter has it (FFmpeg 7.1 does), or it does not
  // take such pictures.
  Xpsnr(const PixelFormat& format, int width, int height, AVRational frame_rate);
  ~Xpsnr();
  Xpsnr(const Xpsnr&) = delete;
  Xpsnr& operator=(const Xpsnr&) = delete;

  // Reads the next two pictures, whose samples may lie differently, and copies them. Throws
  // Error(internal).
  void read(const Frame& given, const Frame& decoded);
  // Ends the pictures.
  void finish();
  // Returns the score of each component, by its name, of the picture with that number, from 0;
  // empty where the filter needs later pictures. Forgets the pictures before it.
  std::map<char, double> score(unsigned number);

 private:
  struct Library;
  Frame copy_of(const Frame& picture) const;
  void receive();

  const PixelFormat& format_;
  const int width_, height_;
  const std::unique_ptr<Library> library_;
  unsigned read_ = 0, received_ = 0;
  std::map<unsigned, std::map<char, double>> scores_;
};

}  // namespace vidconv
