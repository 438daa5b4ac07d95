#include "tests/doubles/nvenc_session.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace vidconv::test {
namespace {

// Returns a function of CUDA's driver, which every user of NVENC has loaded.
template <class F>
F* driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
  return reinterpret_cast<F*>(dlsym(library, name));
}

std::vector<std::uint8_t> bytes_of(const Session& session, const Input& input) {
  if (!input.on_device) return input.host;
  std::vector<std::uint8_t> bytes(input.pitch * static_cast<std::size_t>(input.rows()));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = input.device;
  copy.srcPitch = copy.dstPitch = input.pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = bytes.data();
  copy.WidthInBytes = input.row_bytes();
  copy.Height = static_cast<std::size_t>(input.rows());
  CUcontext former = nullptr;
  driver<tcuCtxPushCurrent_v2>("cuCtxPushCurrent_v2")(session.context);
  bool done = driver<tcuStreamSynchronize>("cuStreamSynchronize")(session.stream) == CUDA_SUCCESS;
  done &= driver<tcuMemcpy2D_v2>("cuMemcpy2D_v2")(&copy) == CUDA_SUCCESS;
  driver<tcuCtxPopCurrent_v2>("cuCtxPopCurrent_v2")(&former);
  if (!done) bytes.clear();
  return bytes;
}

// Returns false if the memory cannot be read.
bool read(const Session& session, const Input& input, PcmPlanes& planes) {
  const std::vector<std::uint8_t> bytes = bytes_of(session, input);
  if (bytes.empty()) return false;
  const auto at = [&](std::size_t start, std::size_t pitch, int y, int x) {
    const std::size_t i = start + pitch * static_cast<std::size_t>(y);
    if (!input.wide()) return std::uint16_t{bytes[i + static_cast<std::size_t>(x)]};
    std::uint16_t sample;
    std::memcpy(&sample, &bytes[i + 2 * static_cast<std::size_t>(x)], sizeof sample);
    return static_cast<std::uint16_t>(sample >> 6);
  };
  const std::size_t luma = input.pitch * static_cast<std::size_t>(input.height);
  const int part = input.full_chroma() ? 1 : 2;
  const bool yv12 = input.format == NV_ENC_BUFFER_FORMAT_YV12;
  for (std::size_t p = 0; p < 3; ++p) {
    const int by = p == 0 ? 1 : part;
    const std::size_t pitch = p > 0 && yv12 ? input.pitch / 2 : input.pitch;
    std::size_t start = p == 0 ? 0 : luma;
    if (p > 0 && input.full_chroma()) start = luma * p;
    if (p == 1 && yv12) start += pitch * static_cast<std::size_t>(input.height / 2);  // V is first
    const int step = p > 0 && !input.planar() ? 2 : 1;
    const int offset = step == 2 && p == 2 ? 1 : 0;
    planes[p].clear();
    for (int y = 0; y < input.height / by; ++y)
      for (int x = 0; x < input.width / by; ++x)
        planes[p].push_back(at(start, pitch, y, x * step + offset));
  }
  return true;
}

}  // namespace

bool code_group(Session& session) {
  Group& group = session.groups.front();
  for (Picture& picture : group.pictures)
    if (!read(session, *picture.input, picture.planes)) return false;
  for (std::size_t i = 0; i < group.pictures.size(); ++i) {
    const Picture& picture = group.pictures[i];
    Bitstream& out = *group.outputs[i];
    const bool idr = session.coded++ == 0, reference = i == 0;
    out.bytes = idr && session.headers_in_stream ? pcm_headers(session.video) : "";
    out.bytes += pcm_picture(session.video, {idr, reference, session.references, picture.shown_at},
                             picture.planes);
    session.references += reference;
    out.time = picture.time;
    out.type = idr ? NV_ENC_PIC_TYPE_IDR : reference ? NV_ENC_PIC_TYPE_I : NV_ENC_PIC_TYPE_BI;
    ++(picture.input->on_device ? nvenc_double()->from_device : nvenc_double()->from_host);
  }
  session.groups.pop_front();
  return true;
}

void close_group(Session& session) {
  if (session.waiting.pictures.empty()) return;
  auto& pictures = session.waiting.pictures;
  std::rotate(pictures.begin(), pictures.end() - 1, pictures.end());
  session.groups.push_back(std::exchange(session.waiting, {}));
}

}  // namespace vidconv::test
