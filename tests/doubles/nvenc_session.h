// The sessions of NVENC's double keep pictures as they were handed over, in coding order, until
// somebody asks for them.
#pragma once

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/nvEncodeAPI.h>

#include <deque>
#include <memory>
#include <vector>

#include "tests/doubles/h264_pcm.h"
#include "tests/doubles/nvenc_double.h"

namespace vidconv::test {

// The memory of a picture: the caller's on the device, or the double's own on the host.
struct Input {
  bool on_device = false;
  CUdeviceptr device = 0;
  std::vector<std::uint8_t> host;
  std::size_t pitch = 0;  // bytes
  int width = 0, height = 0;
  NV_ENC_BUFFER_FORMAT format = NV_ENC_BUFFER_FORMAT_UNDEFINED;
  int mapped = 0;

  bool full_chroma() const {
    return format == NV_ENC_BUFFER_FORMAT_YUV444 || format == NV_ENC_BUFFER_FORMAT_YUV444_10BIT;
  }
  bool wide() const {
    return format == NV_ENC_BUFFER_FORMAT_YUV420_10BIT ||
           format == NV_ENC_BUFFER_FORMAT_YUV444_10BIT;
  }
  bool planar() const { return full_chroma() || format == NV_ENC_BUFFER_FORMAT_YV12; }
  int rows() const { return full_chroma() ? 3 * height : height + (height + 1) / 2; }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width + width % 2) * (wide() ? 2 : 1);
  }
};

struct Bitstream {
  std::string bytes;
  std::uint64_t time = 0;
  NV_ENC_PIC_TYPE type = NV_ENC_PIC_TYPE_UNKNOWN;
};

struct Picture {
  Input* input = nullptr;
  std::uint64_t time = 0;
  int shown_at = 0;
  PcmPlanes planes;
};

// Pictures in coding order, the first of which the others may refer to, and their outputs.
struct Group {
  std::vector<Picture> pictures;
  std::vector<Bitstream*> outputs;
};

struct Session {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  PcmVideo video;
  bool headers_in_stream = true;
  int distance = 1;  // between reference pictures
  int shown = 0;     // counted since the last IDR picture, as in the next line
  int coded = 0, references = 0;
  Group waiting;             // pictures in display order that cannot be coded yet
  std::deque<Group> groups;  // groups that nobody has asked for yet
  std::vector<std::unique_ptr<Input>> inputs;
  std::vector<std::unique_ptr<Bitstream>> bitstreams;
};

// Codes the pictures of the oldest group, which must not have changed until now. Returns false if
// their memory cannot be read.
bool code_group(Session& session);
// Makes a group of the waiting pictures: the last of them comes first.
void close_group(Session& session);

}  // namespace vidconv::test
