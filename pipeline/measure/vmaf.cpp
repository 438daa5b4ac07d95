#include "pipeline/measure/vmaf.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "pipeline/base/error.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_vmaf(const std::string& why, const std::string& remedy) {
  throw Error(MessageKind::output_unsuited, "there is no vmaf for",
              Error::Value::naming("`measure`"), why, remedy);
}

void* open_library() {
  for (const char* name : {"libvmaf.so.3", "libvmaf.so.1", "libvmaf.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  refuse_vmaf("libvmaf is not installed: neither libvmaf.so.3 nor libvmaf.so.1 was found",
              "install it (github.com/Netflix/vmaf), or measure psnr,ssim");
}

// Returns the component Y where libvmaf takes its depth; else null.
const Component* luma_of(const PixelFormat& format) {
  const Component& first = format.components[0];
  constexpr int depths[] = {8, 10, 12, 16};
  const bool known = std::ranges::find(depths, first.sample.depth) != std::end(depths);
  return first.kind == Component::Kind::luma && known ? &first : nullptr;
}

}  // namespace

// Holds libvmaf's entry points by their names, and its objects. The structures are the common part
// of the public headers of versions 2 and 3: those grew at their ends only, and there is room
// behind ours.
struct Vmaf::Library {
  struct Picture {
    int format;
    unsigned depth;
    unsigned width[3], height[3];
    std::ptrdiff_t stride[3];  // bytes
    void* data[3];
    std::byte room[256];
  };
  struct Settings {
    int log_level;
    unsigned threads, subsample;
    std::uint64_t masks[4];
  };
  struct ModelSettings {
    const char* name;
    std::uint64_t flags;
    std::uint64_t room[4];
  };
  static constexpr int yuv420p = 1;  // its number in VmafPixelFormat

  static void fill(const Frame& from, Picture& to);

  template <class F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(handle, name));
    if (!function)
      refuse_vmaf(std::string("this libvmaf has no ") + name, "install version 2 or 3");
  }

  explicit Library(const std::string& version) {
    find(init, "vmaf_init");
    find(close, "vmaf_close");
    find(load_model, "vmaf_model_load");
    find(destroy_model, "vmaf_model_destroy");
    find(use_features, "vmaf_use_features_from_model");
    find(allocate, "vmaf_picture_alloc");
    find(read, "vmaf_read_pictures");
    find(score_at, "vmaf_score_at_index");
    ModelSettings settings{};
    if (load_model(&model, &settings, version.c_str()) < 0)
      refuse_vmaf("this libvmaf has no model " + version,
                  "vmaf_v0.6.1, vmaf_v0.6.1neg and vmaf_4k_v0.6.1 are in libvmaf where it was "
                  "built with models");
    // With threads of its own, libvmaf would queue pictures without a limit.
    if (init(&context, Settings{}) < 0 || use_features(context, model) < 0)
      refuse_vmaf("libvmaf cannot be begun", "measure psnr,ssim");
  }
  ~Library() {
    if (context) close(context);
    if (model) destroy_model(model);
    dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* const handle = open_library();
  int (*init)(void** context, Settings settings) = nullptr;
  int (*close)(void* context) = nullptr;
  int (*load_model)(void** model, ModelSettings* settings, const char* version) = nullptr;
  void (*destroy_model)(void* model) = nullptr;
  int (*use_features)(void* context, void* model) = nullptr;
  int (*allocate)(Picture* picture, int format, unsigned depth, unsigned width,
                  unsigned height) = nullptr;
  int (*read)(void* context, Picture* given, Picture* decoded, unsigned number) = nullptr;
  int (*score_at)(void* context, void* model, double* score, unsigned number) = nullptr;
  void* model = nullptr;
  void* context = nullptr;
};

Vmaf::Vmaf(const PixelFormat& format, int width, int height, const std::string& model)
    : library_(luma_of(format) ? std::make_unique<Library>(model) : nullptr),
      width_(width),
      height_(height),
      depth_(format.components[0].sample.depth) {
  if (!library_)
    refuse_vmaf("it is of luma with 8, 10, 12 or 16 bits, not of " + format.name,
                "encode in another `pixel_format`, or measure psnr,ssim");
}

Vmaf::~Vmaf() = default;

// Leaves chroma 0: the models ignore it.
void Vmaf::Library::fill(const Frame& from, Picture& to) {
  const ConstBytePlane luma = from.component(0);
  const SampleType& type = from.format().components[0].sample;
  const auto size = static_cast<std::size_t>(type.bytes());
  for (int y = 0; y < luma.height; ++y) {
    auto* row = static_cast<std::byte*>(to.data[0]) + to.stride[0] * y;
    for (int x = 0; x < luma.width; ++x) {
      std::uint16_t code = 0;
      std::memcpy(&code, luma.row(y) + static_cast<std::ptrdiff_t>(x) * luma.step * type.bytes(),
                  size);
      code = static_cast<std::uint16_t>(code >> type.shift);
      std::memcpy(row + static_cast<std::size_t>(x) * size, &code, size);
    }
  }
  for (const int plane : {1, 2})
    if (to.data[plane])
      std::memset(to.data[plane], 0, static_cast<std::size_t>(to.stride[plane]) * to.height[plane]);
}

void Vmaf::read(const Frame& given, const Frame& decoded) {
  Library::Picture pictures[2] = {};
  for (Library::Picture& picture : pictures) {
    if (library_->allocate(&picture, Library::yuv420p, static_cast<unsigned>(depth_),
                           static_cast<unsigned>(width_), static_cast<unsigned>(height_)) < 0)
      throw_out_of_memory("for libvmaf");
    Library::fill(&picture == pictures ? given : decoded, picture);
  }
  // libvmaf owns both from now on.
  if (library_->read(library_->context, &pictures[0], &pictures[1], read_++) < 0)
    throw Error(Fault::internal, "libvmaf does not take pictures", std::to_string(read_ - 1), "");
}

void Vmaf::finish() {
  if (read_ > 0) library_->read(library_->context, nullptr, nullptr, 0);
}

std::optional<double> Vmaf::score(unsigned number) const {
  double score = 0;
  if (library_->score_at(library_->context, library_->model, &score, number) < 0)
    return std::nullopt;
  return score;
}

}  // namespace vidconv
