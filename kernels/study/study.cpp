#include "kernels/study/study.h"

#include <algorithm>

#include "kernels/study/lesson.h"
#include "kernels/variants/variants.h"

namespace vidconv {
namespace {

using namespace study;

#ifdef VIDCONV_HAVE_CUDA
// Returns the variant whose blocks have one shape.
template <int width, int height>
constexpr Variant shape(std::string_view name, std::string_view description) {
  return {name, description, Device::cuda,
          [](const Plan& plan, const CudaAbilities&) -> Prepared {
            if (!supports_cuda_shape(plan, width, height)) return nullptr;
            return [plan](int) { return make_cuda_shape(plan, width, height); };
          },
          "8-bit or float samples, at most 800 taps, a tile of 48 KiB"};
}
#endif

constexpr Variant table[] = {
    {"study-naive", "one loop inside the other, a border test per tap, one thread", Device::cpu,
     prepare_if<supports_any, make_naive>, needs_any},
    {"study-separable", "row pass and column pass, one thread", Device::cpu,
     prepare_if<supports_rank_1, make_separable>, needs_rank_1},
    {"study-openmp", "the naive loops, OpenMP over rows", Device::cpu,
     prepare_if<supports_any, make_openmp>, needs_any},
    {"study-openmp-simd", "OpenMP over rows, `omp simd` over the taps of a kernel row", Device::cpu,
     prepare_if<supports_openmp_simd, make_openmp_simd>, "8-bit samples, one matrix in one pass"},
#ifdef VIDCONV_HAVE_CUDA
    {"study-cuda-global", "a thread for each sample; taps and samples in global memory",
     Device::cuda, prepare_if<supports_any, make_cuda_global>, needs_any},
    {"study-cuda-readonly", "the same through the read-only path", Device::cuda,
     prepare_if<supports_any, make_cuda_readonly>, needs_any},
    {"study-cuda-constant", "taps in constant memory", Device::cuda,
     prepare_if<supports_cuda_constant, make_cuda_constant>,
     "8-bit or float samples, at most 800 taps"},
    {"study-cuda-texture", "samples through the texture units", Device::cuda,
     prepare_if<supports_any, make_cuda_texture>, needs_any},
    {"study-cuda-tile", "a 16x16 tile with its apron in shared memory", Device::cuda,
     prepare_if<supports_cuda_tile, make_cuda_tile>, "8-bit or float samples, a tile of 48 KiB"},
    {"study-cuda-flat", "a flat tile in shared memory, without bank conflicts", Device::cuda,
     prepare_if<supports_cuda_flat, make_cuda_flat>, "8-bit or float samples, a tile of 48 KiB"},
    shape<32, 32>("study-cuda-shape-32x32", "taps in constant, samples in shared memory; 32x32"),
    shape<16, 16>("study-cuda-shape-16x16", "the same in blocks of 16x16"),
    shape<32, 16>("study-cuda-shape-32x16", "the same in blocks of 32x16"),
    shape<32, 8>("study-cuda-shape-32x8", "the same in blocks of 32x8"),
    shape<64, 4>("study-cuda-shape-64x4", "the same in blocks of 64x4"),
    {"study-cuda-separable", "row pass and column pass, 16x16 tiles in shared memory", Device::cuda,
     prepare_if<supports_rank_1, make_cuda_separable>, needs_rank_1},
    {"study-cuda-separable-flat", "the passes with flat tiles, eight samples a thread",
     Device::cuda, prepare_if<supports_cuda_separable_flat, make_cuda_separable_flat>,
     "8-bit or float samples, one kernel of rank 1 of at most 321 rows"},
    {"study-cuda-padded", "the passes over padded arrays, without boundary tests", Device::cuda,
     prepare_if<supports_rank_1, make_cuda_padded>, needs_rank_1},
    {"study-cuda-block", "the passes in one block of 32x32 threads", Device::cuda,
     prepare_if<supports_rank_1, make_cuda_block>, needs_rank_1, single_block_side},
    {"study-cuda-row", "one dimension, along rows", Device::cuda,
     prepare_if<supports_cuda_row, make_cuda_row>,
     "8-bit or float samples, one kernel one row high"},
    {"study-cuda-row-tiled", "along rows, with a tile in shared memory", Device::cuda,
     prepare_if<supports_cuda_row, make_cuda_row_tiled>,
     "8-bit or float samples, one kernel one row high"},
    {"study-cuda-column", "one dimension, along columns", Device::cuda,
     prepare_if<supports_cuda_column, make_cuda_column>,
     "8-bit or float samples, one kernel one column wide"},
    {"study-cuda-double", "sums in double precision", Device::cuda,
     prepare_if<supports_cuda_double, make_cuda_double>, "8-bit samples, at most 8 matrices"},
    {"study-cuda-interleaved", "one thread for all components of a packed pixel", Device::cuda,
     prepare_if<supports_any, make_cuda_interleaved>, needs_any},
    {"study-load-sync", "upload, kernel and download one after the other, pageable memory",
     Device::cpu, prepare_if<supports_any, make_load_sync>, needs_any, 0, true},
    {"study-load-async", "bands of rows in pinned memory on three streams", Device::cpu,
     prepare_if<supports_any, make_load_async>, needs_any, 0, true},
#endif
};

}  // namespace

std::span<const Variant> study_variants() { return table; }

const Variant* find_any_variant(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Variant::name);
  return found == std::end(table) ? find_variant(name) : found;
}

namespace study {

bool supports_any(const Plan& plan) {
  const bool bytes = plan.sample == SampleType{Storage::u8, 8, 0} && plan.arith == Arith::int32;
  const bool floats = plan.sample.storage == Storage::f32 && plan.arith == Arith::float32;
  return (bytes || floats) && plan.terms.size() <= Lesson::capacity &&
         std::ranges::all_of(plan.terms, [](const Taps& t) { return !t.joins && !t.pairwise; });
}

bool supports_rank_1(const Plan& plan) {
  return supports_any(plan) && plan.terms.size() == 1 && plan.terms[0].separable();
}

Lesson make_lesson(const Plan& plan, Prefer prefer) {
  Lesson lesson{};
  lesson.border = plan.border;
  lesson.outside = static_cast<float>(plan.outside);
  lesson.finish = plan.finish;
  lesson.reach = reach_of(plan);
  int first = 0;
  for (const Taps& t : plan.terms) {
    const bool two_passes = t.dense.empty() || (prefer == Prefer::two_passes && t.separable());
    lesson.matrices[lesson.count++] = {t.width, t.height,   t.anchor_x,  t.anchor_y,
                                       first,   two_passes, t.row_shift, t.joins};
    first += two_passes ? t.width + t.height : t.width * t.height;
  }
  lesson.taps = first;
  return lesson;
}

std::vector<double> lesson_taps(const Plan& plan, Prefer prefer) {
  std::vector<double> taps;
  const auto append = [&](const std::vector<double>& more) {
    taps.insert(taps.end(), more.begin(), more.end());
  };
  for (const Taps& t : plan.terms) {
    if (t.dense.empty() || (prefer == Prefer::two_passes && t.separable())) {
      append(t.row);
      append(t.column);
    } else {
      append(t.dense);
    }
  }
  return taps;
}

}  // namespace study
}  // namespace vidconv
