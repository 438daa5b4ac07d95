#include "pipeline/av/convert/colour_converter.h"

extern "C" {
#include <libavutil/csp.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/av/colour_range.h"
#include "pipeline/av/convert/convert.h"
#include "pipeline/base/error.h"

namespace vidconv {
namespace {

using Kind = Component::Kind;
using Row = std::vector<float>;

// Index of the only component of a kind, or of colour `n` among R, G and B; none if there is none.
std::optional<std::size_t> find(const PixelFormat& format, Kind kind, int n = 0) {
  for (std::size_t i = 0; i < format.components.size(); ++i)
    if (format.components[i].kind == kind && n-- == 0) return i;
  return std::nullopt;
}

// A code means the signal (code - black) / span.
struct Scale {
  float black = 0, span = 1;
};

Scale scale_of(const Component& c, bool full) {
  if (c.sample.storage == Storage::f32) return {};
  const int unit = 1 << (c.sample.depth - 8), max = c.sample.max();
  if (c.kind == Kind::chroma)
    return {static_cast<float>(c.sample.neutral()), static_cast<float>(full ? max : 224 * unit)};
  if (full || c.kind == Kind::alpha) return {0, static_cast<float>(max)};
  return {static_cast<float>(16 * unit), static_cast<float>(219 * unit)};
}

template <class Sample>
void load(const Plane<const Sample>& plane, int y, int shift, const Scale& scale, float* to) {
  const Sample* from = plane.row(y);
  for (int x = 0; x < plane.width; ++x) {
    float code;
    if constexpr (std::is_same_v<Sample, float>)
      code = from[x * plane.step];
    else
      code = static_cast<float>(from[x * plane.step] >> shift);
    to[x] = (code - scale.black) / scale.span;
  }
}

void load_row(const Frame& frame, std::size_t i, int y, const Scale& scale, Row& to) {
  const ConstBytePlane plane = frame.component(i);
  const SampleType& sample = frame.format().components[i].sample;
  to.resize(static_cast<std::size_t>(plane.width));
  switch (sample.storage) {
    case Storage::u8:
      return load(plane.as<const std::uint8_t>(), y, sample.shift, scale, to.data());
    case Storage::u16:
      return load(plane.as<const std::uint16_t>(), y, sample.shift, scale, to.data());
    case Storage::f32:
      return load(plane.as<const float>(), y, 0, scale, to.data());
  }
}

template <class Sample>
void store(const Row& row, const Plane<Sample>& plane, int y, const SampleType& sample) {
  Sample* to = plane.row(y);
  const auto max = static_cast<float>(sample.max());
  for (int x = 0; x < plane.width; ++x) {
    // max() takes its first argument where the other one is no number.
    const float value = std::min(std::max(0.0F, row[static_cast<std::size_t>(x)]), 1.0F);
    if constexpr (std::is_same_v<Sample, float>)
      to[x * plane.step] = value;
    else
      to[x * plane.step] =
          static_cast<Sample>(static_cast<int>(std::floor(value * max + 0.5F)) << sample.shift);
  }
}

void store_row(const Row& row, Frame& frame, std::size_t i, int y) {
  const BytePlane plane = frame.component(i);
  const SampleType& sample = frame.format().components[i].sample;
  switch (sample.storage) {
    case Storage::u8:
      return store(row, plane.as<std::uint8_t>(), y, sample);
    case Storage::u16:
      return store(row, plane.as<std::uint16_t>(), y, sample);
    case Storage::f32:
      return store(row, plane.as<float>(), y, sample);
  }
}

// Two neighbours among the samples of chroma, and the second one's share.
struct Between {
  int first = 0, second = 0;
  float share = 0;
};

// Returns where a pixel is among `samples`, each of which stands for `factor` pixels and lies
// `place` pixels behind the first of them. Edges are repeated.
Between between(int pixel, int samples, int factor, double place) {
  const double at = std::clamp((pixel - place) / factor, 0.0, samples - 1.0);
  const int first = static_cast<int>(at);
  return {first, std::min(first + 1, samples - 1), static_cast<float>(at - first)};
}

bool on_first(AVChromaLocation location, bool across) {
  switch (location) {
    case AVCHROMA_LOC_CENTER:
    case AVCHROMA_LOC_BOTTOM:
      return false;
    case AVCHROMA_LOC_TOP:
      return !across;
    case AVCHROMA_LOC_TOPLEFT:
      return true;
    default:  // left and bottom left; MPEG-2's where nothing is said
      return across;
  }
}

// A source of rows of chroma, at the resolution of luma.
class ChromaRows {
 public:
  ChromaRows(const Frame& frame, AVChromaLocation location)
      : frame_(frame),
        factors_(frame.format().components[*find(frame.format(), Kind::chroma)].subsampling),
        by_field_(is_interlaced(frame.av()) && factors_.y > 1),
        last_row_(location == AVCHROMA_LOC_BOTTOM || location == AVCHROMA_LOC_BOTTOMLEFT),
        first_row_(on_first(location, false)) {
    const double place = on_first(location, true) ? 0 : (factors_.x - 1) / 2.0;
    const int width = frame.component(*find(frame.format(), Kind::chroma)).width;
    for (int x = 0; x < frame.width(); ++x)
      columns_.push_back(between(x, width, factors_.x, place));
  }

  // Fills `to` for row `y` of the picture.
  void load(std::size_t component, int y, const Scale& scale, Row& to) const {
    const int rows = frame_.component(component).height;
    Between at;
    if (by_field_) {
      // Rows of the field are between the same rows of chroma, a quarter of one field's row off.
      const int parity = y % 2, in_field = (rows + 1 - parity) / 2;
      if (in_field == 0) return load(component, y - 1, scale, to);
      const double place = first_row_  ? 0
                           : last_row_ ? factors_.y - 1
                                       : (factors_.y - 1) / 2.0 + (parity == 0 ? -0.25 : 0.25);
      at = between(y / 2, in_field, factors_.y, place);
      at.first = 2 * at.first + parity;
      at.second = 2 * at.second + parity;
    } else {
      const double place = first_row_ ? 0 : last_row_ ? factors_.y - 1 : (factors_.y - 1) / 2.0;
      at = between(y, rows, factors_.y, place);
    }
    thread_local Row row, next;
    load_row(frame_, component, at.first, scale, row);
    if (at.share > 0) {
      load_row(frame_, component, at.second, scale, next);
      for (std::size_t x = 0; x < row.size(); ++x) row[x] += at.share * (next[x] - row[x]);
    }
    to.resize(columns_.size());
    std::size_t x = 0;
    if (factors_.x == 2) x = in_pairs(row, to);
    for (; x < to.size(); ++x) {
      const auto [first, second, share] = columns_[x];
      const float left = row[static_cast<std::size_t>(first)];
      to[x] = left + share * (row[static_cast<std::size_t>(second)] - left);
    }
  }

 private:
  // Fills pairs of pixels but the first and the last ones, with the numbers that columns_ gives,
  // and those at the left edge. Returns how many pixels that were.
  std::size_t in_pairs(const Row& row, Row& to) const {
    if (row.size() < 3 || to.size() < 4) return 0;
    const auto fill = [&](std::size_t x) {
      const auto [first, second, share] = columns_[x];
      const float left = row[static_cast<std::size_t>(first)];
      to[x] = left + share * (row[static_cast<std::size_t>(second)] - left);
    };
    fill(0);
    fill(1);
    const bool between = columns_[2].share != 0;
    const float even = columns_[2].share, odd = columns_[3].share;
    const float* const from = row.data();
    float* const made = to.data();
    const std::size_t pairs = row.size() - 1;
    for (std::size_t i = 1; i < pairs; ++i) {
      const float before = between ? from[i - 1] : from[i], here = from[i], next = from[i + 1];
      made[2 * i] = before + even * (here - before);
      made[2 * i + 1] = here + odd * (next - here);
    }
    return 2 * pairs;
  }

  const Frame& frame_;
  const Subsampling factors_;
  const bool by_field_, last_row_, first_row_;
  std::vector<Between> columns_;
};

const AVLumaCoefficients& luma_of(AVColorSpace matrix) {
  if (const AVLumaCoefficients* luma =
          can_convert(matrix) ? av_csp_luma_coeffs_from_avcsp(matrix) : nullptr)
    return *luma;
  const char* name = av_color_space_name(matrix);
  throw Error(Fault::usage, "cannot make red, green and blue of the matrix", name ? name : "",
              "its components are no weighted sums of these", "take the frames as they are");
}

// The matrix, the place of chroma and the range of a picture.
struct Colours {
  float kr, kg, kb;
  AVChromaLocation location;
  bool full;
};

}  // namespace

bool ColourConverter::makes(const PixelFormat& to) { return !find(to, Kind::chroma); }

ColourConverter::ColourConverter(const VideoInfo& video, const PixelFormat& to, int threads)
    : video_(video), to_(to), pool_(shared_thread_pool(threads)) {}

void ColourConverter::convert(const Frame& from, Frame& to) const {
  const PixelFormat& format = from.format();
  const AVFrame& av = from.av();
  const bool from_rgb = find(format, Kind::colour).has_value();
  const bool has_chroma = find(format, Kind::chroma).has_value();
  const bool to_rgb = find(to_, Kind::colour).has_value();
  const auto said = [](auto of_frame, auto of_video, auto nothing) {
    return of_frame == nothing ? of_video : of_frame;
  };
  const AVColorSpace matrix =
      known_matrix(said(av.colorspace, video_.matrix, AVCOL_SPC_UNSPECIFIED), from.height());
  Colours colours{
      0, 0, 0, said(av.chroma_location, video_.chroma_location, AVCHROMA_LOC_UNSPECIFIED),
      is_full_range(format.id, said(av.color_range, video_.range, AVCOL_RANGE_UNSPECIFIED))};
  if ((has_chroma && to_rgb) || (from_rgb && !to_rgb)) {
    const AVLumaCoefficients& luma = luma_of(matrix);
    colours.kr = static_cast<float>(av_q2d(luma.cr));
    colours.kb = static_cast<float>(av_q2d(luma.cb));
    colours.kg = static_cast<float>(1 - av_q2d(luma.cr) - av_q2d(luma.cb));
  }
  std::optional<ChromaRows> chroma;
  if (has_chroma && to_rgb) chroma.emplace(from, colours.location);

  const auto convert_row = [&](int y) {
    thread_local std::array<Row, 3> rgb;
    const auto load_component = [&](Kind kind, int n, Row& row) {
      const std::size_t i = *find(format, kind, n);
      load_row(from, i, y, scale_of(format.components[i], colours.full), row);
    };
    if (from_rgb) {
      for (int n = 0; n < 3; ++n) load_component(Kind::colour, n, rgb[static_cast<std::size_t>(n)]);
    } else {
      load_component(Kind::luma, 0, rgb[1]);
    }
    if (chroma) {
      thread_local Row u, v;
      const std::size_t cb = *find(format, Kind::chroma), cr = *find(format, Kind::chroma, 1);
      chroma->load(cb, y, scale_of(format.components[cb], colours.full), u);
      chroma->load(cr, y, scale_of(format.components[cr], colours.full), v);
      const float of_cr = 2 * (1 - colours.kr), of_cb = 2 * (1 - colours.kb);
      const float g_cr = of_cr * colours.kr / colours.kg, g_cb = of_cb * colours.kb / colours.kg;
      rgb[0].resize(u.size());
      rgb[2].resize(u.size());
      float *const red = rgb[0].data(), *const green = rgb[1].data(), *const blue = rgb[2].data();
      const float *const b_y = u.data(), *const r_y = v.data();
      for (std::size_t x = 0; x < u.size(); ++x) {
        const float luma = green[x];
        red[x] = luma + of_cr * r_y[x];
        green[x] = luma - g_cr * r_y[x] - g_cb * b_y[x];
        blue[x] = luma + of_cb * b_y[x];
      }
    }
    if (from_rgb && !to_rgb)
      for (std::size_t x = 0; x < rgb[1].size(); ++x)
        rgb[1][x] = colours.kr * rgb[0][x] + colours.kg * rgb[1][x] + colours.kb * rgb[2][x];
    const bool colourful = from_rgb || chroma;
    for (std::size_t i = 0, n = 0; i < to_.components.size(); ++i) {
      const Kind kind = to_.components[i].kind;
      if (kind == Kind::colour) {
        store_row(colourful ? rgb[n] : rgb[1], to, i, y);
        ++n;
      } else if (kind == Kind::luma) {
        store_row(rgb[1], to, i, y);
      } else {
        thread_local Row alpha;
        if (find(format, Kind::alpha))
          load_component(Kind::alpha, 0, alpha);
        else
          alpha.assign(static_cast<std::size_t>(from.width()), 1.0F);
        store_row(alpha, to, i, y);
      }
    }
  };
  constexpr int rows_at_once = 16;
  const int height = from.height();
  pool_->run((height + rows_at_once - 1) / rows_at_once, [&](int job, int) {
    for (int y = job * rows_at_once; y < std::min(height, (job + 1) * rows_at_once); ++y)
      convert_row(y);
  });
}

}  // namespace vidconv
