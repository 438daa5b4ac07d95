// Writes the seeds of the fuzz targets and their dictionary from the tables, so that a new row is
// fuzzed too:  vidconv_fuzz_seeds DIRECTORY
#include <fmt/format.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "kernels/parse.h"
#include "kernels/presets.h"

namespace {

using namespace vidconv;

// Files of their own in DIRECTORY/kind.
class Seeds {
 public:
  explicit Seeds(const std::filesystem::path& directory) : directory_(directory) {
    std::filesystem::create_directories(directory);
  }
  void add(const std::string& bytes) {
    std::ofstream(directory_ / std::to_string(count_++), std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path directory_;
  int count_ = 0;
};

std::string png(unsigned format, int bytes_per_pixel) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(5 * 4 * bytes_per_pixel), 77);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 5;
  image.height = 4;
  image.format = format;
  std::string bytes(4096, '\0');
  png_alloc_size_t size = bytes.size();
  png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
  bytes.resize(size);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory = argv[1];
  Seeds specs(directory / "spec"), files(directory / "kernel_file");
  std::set<std::string> words;

  for (const Preset& preset : presets()) {
    std::string all{preset.name};
    words.emplace(preset.name);
    specs.add(all);
    for (const Parameter& p : preset.parameters) {
      words.insert(fmt::format(":{}=", p.name));
      for (const std::string_view choice : p.choices) words.emplace(choice);
      const std::string value = p.choices.empty() ? fmt::format("{}", p.fallback.value_or(p.min))
                                                  : std::string(p.choices.back());
      all += fmt::format(":{}={}", p.name, value);
    }
    specs.add(all + ":scale=1/2:bias=-0.1:abs=1:flip=1:rotate=270:planes=y,u");
  }
  for (const MatrixForm& form : matrix_forms()) words.insert(fmt::format("{}:", form.name));
  for (const ModifierKey& key : modifier_keys()) words.insert(fmt::format(":{}=", key.name));
  for (const char* text :
       {"matrix:0 -1 0;-1 5 -1;0 -1 0", "matrix:1/9,1e-3;+.5 2:anchor=0,1:scale=auto",
        "row:1 2 1:scale=1/4", "column:-1 0 1:abs=1", "separable:1 2 1;-1 0 1", "random:7,5x3"})
    specs.add(text);

  for (const char* text : {"# blur\nscale=1/16\nsize=3x3\n1 2 1\n2,4,2\n1 2 1\n",
                           "anchor=0,0\nbias=0.5\n1 -1\n", "P2\n3 2\n9\n0 1 2\n3 4 5\n"})
    files.add(text);
  files.add(std::string("P5 3 1 255\n\x33\x00\x66", 14));
  files.add(std::string("P5 2 1 1000\n\x01\x00\x03\x00", 16));
  files.add(png(PNG_FORMAT_GRAY, 1));
  files.add(png(PNG_FORMAT_RGBA, 4));
  files.add(png(PNG_FORMAT_LINEAR_Y, 2));

  std::ofstream dictionary(directory / "words.dict");
  for (const std::string& word : words) dictionary << '"' << word << "\"\n";
  return dictionary.flush() ? 0 : 1;
}
