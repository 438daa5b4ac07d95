// XPSNR of pictures in order, by the filter of that name of libavfilter, which is loaded when it is
// asked for.
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
  // Throws Error(output_unsuited) where there is no libavfilter that has it (FFmpeg 7.1), or it
  // does not take such pictures.
  Xpsnr(const PixelFormat& format, int width, int height, AVRational frame_rate);
  ~Xpsnr();
  Xpsnr(const Xpsnr&) = delete;
  Xpsnr& operator=(const Xpsnr&) = delete;

  // The next two pictures, which lie alike or not. Copies them. Throws Error(internal).
  void read(const Frame& given, const Frame& decoded);
  // No more.
  void finish();
  // Returns the score of each component, by its name, of the picture with that number, from 0;
  // empty where the filter has to see those that follow. Forgets those before it.
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
