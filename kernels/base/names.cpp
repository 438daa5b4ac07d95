#include "kernels/base/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstddef>
#include <numeric>
#include <utility>

namespace vidconv {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// A word from another program or from everyday language, and what it is called here. Each caller
// offers only those names that it has.
struct Synonym {
  std::string_view word;
  std::vector<std::string_view> names;
};

const std::vector<Synonym>& synonyms() {
  static const std::vector<Synonym> table = {
      // filters
      {"blur", {"gaussian", "box"}},
      {"smooth", {"gaussian", "binomial"}},
      {"gblur", {"gaussian"}},
      {"mean", {"box"}},
      {"average", {"box"}},
      {"avgblur", {"box"}},
      {"bokeh", {"disk"}},
      {"defocus", {"disk"}},
      {"lens", {"disk"}},
      {"edge", {"sobel", "laplacian"}},
      {"edges", {"sobel", "laplacian"}},
      {"edgedetect", {"sobel", "laplacian"}},
      {"canny", {"sobel"}},
      {"gradient", {"sobel"}},
      {"usm", {"unsharp"}},
      {"relief", {"emboss"}},
      {"none", {"identity"}},
      {"null", {"identity"}},
      {"copy", {"identity"}},
      {"convolution", {"matrix"}},
      {"conv", {"matrix"}},
      {"custom", {"matrix"}},
      // their parameters
      {"radius", {"size"}},
      {"ksize", {"size"}},
      {"width", {"w"}},
      {"height", {"h"}},
      {"s", {"sigma"}},
      {"std", {"sigma"}},
      {"stddev", {"sigma"}},
      {"strength", {"amount"}},
      {"direction", {"angle"}},
      {"degrees", {"angle"}},
      {"connectivity", {"neighbours"}},
      {"factor", {"scale"}},
      {"divisor", {"scale"}},
      {"rdiv", {"scale"}},
      {"normalize", {"scale"}},
      {"offset", {"bias"}},
      {"center", {"anchor"}},
      // borders
      {"mirror", {"reflect101", "reflect"}},
      {"symmetric", {"reflect"}},
      {"nearest", {"replicate"}},
      {"clamp", {"replicate"}},
      {"extend", {"replicate"}},
      {"smear", {"replicate"}},
      {"repeat", {"wrap"}},
      {"tile", {"wrap"}},
      {"circular", {"wrap"}},
      {"black", {"zero"}},
      {"fixed", {"constant:V"}},
      // planes
      {"grey", {"luma"}},
      {"gray", {"luma"}},
      {"brightness", {"luma"}},
      {"color", {"chroma"}},
      {"colour", {"chroma"}},
      // codecs and containers
      {"x264", {"libx264"}},
      {"avc", {"libx264"}},
      {"x265", {"libx265"}},
      {"h265", {"libx265"}},
      {"svtav1", {"libsvtav1"}},
      {"aom", {"libaom-av1"}},
      {"vpx", {"libvpx-vp9"}},
      {"nvenc", {"h264_nvenc", "hevc_nvenc"}},
      {"jpg", {"mjpeg"}},
      {"mp3", {"libmp3lame"}},
      {"ogg", {"libvorbis", "libopus"}},
      {"mkv", {"matroska"}},
      {"ts", {"mpegts"}},
      {"yuv", {"raw"}},
      {"gpu", {"cuda", "--device"}},
      {"nvidia", {"cuda"}},
      {"gray8", {"gray"}},
      {"yuv420", {"yuv420p"}},
      {"yuv422", {"yuv422p"}},
      {"yuv444", {"yuv444p"}},
      {"rgb", {"rgb24", "gbrp"}},
      // options
      {"filter", {"--kernel"}},
      {"vf", {"--kernel"}},
      {"matrix", {"--kernel"}},
      {"encoder", {"--codec"}},
      {"vcodec", {"--codec"}},
      {"c:v", {"--codec"}},
      {"acodec", {"--audio"}},
      {"c:a", {"--audio"}},
      {"an", {"--audio"}},
      {"quality", {"--crf"}},
      {"qp", {"--crf"}},
      {"cq", {"--crf"}},
      {"b:v", {"--bitrate"}},
      {"pixel-format", {"--pix-fmt"}},
      {"movflags", {"--muxer-opt"}},
      {"f", {"--format"}},
      {"ss", {"--start"}},
      {"seek", {"--start"}},
      {"t", {"--duration"}},
      {"length", {"--duration"}},
      {"vframes", {"--frames"}},
      {"force", {"-y"}},
      {"overwrite", {"-y"}},
      {"jobs", {"--threads"}},
      {"silent", {"--quiet"}},
      {"dry-run", {"--explain"}},
      {"man", {"--manual"}},
  };
  return table;
}

// Returns what is compared of a name: without dashes, in lower case.
std::string essence(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != '-' && c != '_') text += lower(c);
  return text;
}

// Returns how many letters have to be added, dropped, changed or swapped with the next one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

constexpr std::size_t longest_word = 40;  // longer words are not names
constexpr std::size_t shortest_word = 3;  // shorter words are close to too many names

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string meant = essence(word.substr(0, longest_word + 1));
  if (meant.empty() || meant.size() > longest_word) return {};
  std::vector<std::string_view> best;
  for (const Synonym& synonym : synonyms())
    if (essence(synonym.word) == meant)
      std::ranges::copy_if(synonym.names, std::back_inserter(best), [&](std::string_view name) {
        return std::ranges::find(names, name) != names.end();
      });
  std::size_t least = 1 + meant.size() / 4;  // distances below this are typos
  if (best.empty() && meant.size() >= shortest_word)
    for (const std::string_view name : names) {
      const std::string other = essence(name);
      const bool begins =
          other.size() >= shortest_word && (other.starts_with(meant) || meant.starts_with(other));
      const std::size_t off = begins ? 1 : distance(meant, other);
      if (off < least) best.clear();
      if (off > least || std::ranges::find(best, name) != best.end()) continue;
      least = off;
      best.push_back(name);
    }
  if (best.empty()) return {};
  best.resize(std::min(best.size(), std::size_t{3}));
  return fmt::format(" (did you mean '{}'?)", fmt::join(best, "' or '"));
}

}  // namespace vidconv
