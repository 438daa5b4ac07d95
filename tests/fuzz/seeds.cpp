// Writes the seeds of the fuzz targets and their dictionary from the tables, so that a new row is
// fuzzed too:  vidconv_fuzz_seeds DIRECTORY
#include <fmt/format.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/filter/presets.h"
#include "kernels/spec/parse.h"
#include "pipeline/io/y4m.h"
#include "pipeline/run/run.h"
#include "tests/fuzz/extremes.h"

namespace {

using namespace vidconv;

// Writes each seed into a file of its own in DIRECTORY/kind.
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

// Returns two frames of 16x16 in this container, by this encoder; empty if there is none.
std::string video_file(const std::filesystem::path& name, const char* codec) {
  try {
    const auto source = open_source("pattern:16x16#2", {});
    SinkOptions options;
    options.encoder.codec = codec;
    options.overwrite = true;
    const auto sink = open_sink(name, options, source->info());
    const FilterSpec same[] = {FilterSpec::parse("identity")};
    run_serial(*source,
               *make_processor(make_work(same, *source->video().format, {}, {}), 16, 16, {}),
               *sink);
  } catch (const Error&) {
    return "";
  }
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes an opening for every source, behind the letter that selects the target's reader.
void add_headers(Seeds& seeds, const std::filesystem::path& scratch,
                 const std::vector<std::string>& kernel_files) {
  constexpr std::string_view one = "1";
  const std::string samples(1600, 's');
  for (const PixelFormat& format : formats()) {
    seeds.add(fmt::format("g16x12:{}@25#2", format.name));
    seeds.add(fmt::format("r16x12:{}@30000/1001\n{}", format.name, std::string(200, 'r')));
    if (const Y4mChroma* chroma = find_y4m_chroma(format.id, AVCHROMA_LOC_UNSPECIFIED))
      for (const char kind : {'f', 'p'})
        seeds.add(fmt::format("{}{}W16 H12 F25:1 Ip A1:1 C{}\nFRAME\n{}", kind, "YUV4MPEG2 ",
                              chroma->tag, samples));
  }
  for (const std::string_view size : fuzz::extremes)
    for (const auto& [width, height] : {std::pair{size, one}, {one, size}}) {
      seeds.add(fmt::format("fYUV4MPEG2 W{} H{} C420jpeg\nFRAME\n{}", width, height, samples));
      seeds.add(fmt::format("r{}x{}:yuv420p\n{}", width, height, samples));
      seeds.add(fmt::format("g{}x{}#1", width, height));
      seeds.add(fmt::format("kP5 {} {} 255\n{}", width, height, samples));
    }
  constexpr std::pair<const char*, const char*> videos[] = {
      {"a.mkv", "ffv1"},     {"a.mkv", "rawvideo"},  {"a.mkv", "libx264"}, {"a.mp4", "mpeg4"},
      {"a.mov", "rawvideo"}, {"a.avi", "mjpeg"},     {"a.avi", "huffyuv"}, {"a.nut", "rawvideo"},
      {"a.flv", "flv"},      {"a.ts", "mpeg2video"}, {"a.gif", ""},        {"a.png", ""},
      {"a.bmp", ""},         {"a.tiff", ""},         {"a.ppm", ""},        {"a.jpg", ""},
  };
  for (const auto& [name, codec] : videos)
    for (const char kind : {'f', 'p'})
      if (const std::string bytes = video_file(scratch / name, codec); !bytes.empty())
        seeds.add(kind + bytes);
  for (const std::string& file : kernel_files) seeds.add('k' + file);
}

// Writes a header of eight bytes (tests/fuzz/simd.cpp), a filter, and samples. Each variant takes
// some of these filters.
void add_pictures(Seeds& seeds) {
  const char* const filters[] = {"box",
                                 "box:size=5",
                                 "gaussian:sigma=1",
                                 "binomial:size=5",
                                 "sharpen",
                                 "sobel",
                                 "laplacian",
                                 "unsharp",
                                 "matrix:1 2 3;4 5 6;7 8 9:scale=auto",
                                 "row:1 2 1:scale=1/4",
                                 "random:7,5x5",
                                 "motion:length=7:angle=30",
                                 "box:size=15",
                                 "box:31:2",
                                 "gaussian:sigma=3",
                                 "random:7,11x9",
                                 "random:5,20x20",
                                 "matrix:90 90 -3;4 90 90;7 80 80:scale=1/500",
                                 "mosaic:size=4",
                                 "matrix:0",
                                 "identity"};
  int number = 0;
  for (const char* filter : filters)
    for (char sample = 0; sample < 9; ++sample) {
      const char header[] = {sample,
                             static_cast<char>(number % 6),
                             static_cast<char>(37 * number),
                             static_cast<char>(number % 8),
                             static_cast<char>(17 + 31 * number),
                             static_cast<char>(7 * number),
                             static_cast<char>(number % 5),
                             static_cast<char>(number)};
      seeds.add(std::string(header, sizeof header) + filter + "\n" +
                (number % 2 ? std::string("\xff\x00\xff\x00\x00\xff", 6) : std::string()));
      ++number;
    }
}

// Writes texts behind the letter that selects the reader (tests/fuzz/words.cpp).
void add_words(Seeds& seeds) {
  for (
      const char* text :
      {"o--kernel=box\n--crf=20\n--preset=fast",
       "o--kernel=sobel\n--encoder-opt=x264-params=ref=2:me=hex",
       "o--muxer-opt=movflags=+faststart\n--kernel=box", "o--no-sandbox", "o--gallery\n-y",
       "o--kernel=box\n--encoder-opt=x264-params=dump-yuv=a", "o--format-in=hls\n--kernel=box",
       "b{\"frame\": 1, \"id\": 1, \"box\": [5, 5, 21, 17]}\n{\"time\": 0.5, \"box\": [1,2,3,4]}",
       "bframe,x,y,width,height,id\n1,2,3,4,5,6\n", "btime,x,y,width,height\n0.5,2,3,4,5\n",
       "b1,-1,794.27,247.59,71.245,174.88,-1,-1,-1,-1\n",
       "rboxes.csv:grow=10%:shape=ellipse:feather=3",
       R"(p{"schema":2,"versions":{},"source":{"path":"/a","bytes":1,"digest":""},"options":["--kernel=box"],"ending":".mkv","kernels":{},"header":"","time_base":[1,25],"shards":"1","seeks":true,"counted":"packets","parts":[{"begin":0,"frames":1,"key":"0"}]})",
       R"(l{"key":"key","bytes":1,"digest":"","header":"00","packets":[[0,0,1,1]],"own_digest":"0"})",
       "n0123456789abcdef0123456789abcdef"})
    seeds.add(text);
  constexpr char mask[] =
      "m--kernel=box\0\1\0\0\0\0\0\0\0\31\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0";
  seeds.add(std::string(mask, sizeof mask - 1));
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
  for (const auto& rows : {modifier_keys(), time_keys()})
    for (const ModifierKey& key : rows) words.insert(fmt::format(":{}=", key.name));
  for (const char* text :
       {"matrix:0 -1 0;-1 5 -1;0 -1 0", "matrix:1/9,1e-3;+.5 2:anchor=0,1:scale=auto",
        "row:1 2 1:scale=1/4", "column:-1 0 1:abs=1", "separable:1 2 1;-1 0 1", "random:7,5x3"})
    specs.add(text);

  for (const char* text : {"# blur\nscale=1/16\nsize=3x3\n1 2 1\n2,4,2\n1 2 1\n",
                           "anchor=0,0\nbias=0.5\n1 -1\n", "P2\n3 2\n9\n0 1 2\n3 4 5\n"})
    files.add(text);
  const std::vector<std::string> pictures{
      std::string("P5 3 1 255\n\x33\x00\x66", 14), std::string("P5 2 1 1000\n\x01\x00\x03\x00", 16),
      png(PNG_FORMAT_GRAY, 1), png(PNG_FORMAT_RGBA, 4), png(PNG_FORMAT_LINEAR_Y, 2)};
  for (const std::string& picture : pictures) files.add(picture);
  Seeds headers(directory / "header");
  add_headers(headers, directory, pictures);

  Seeds jobs(directory / "simd"), beside(directory / "words");
  add_pictures(jobs);
  add_words(beside);

  for (const char* word :
       {"--kernel=", "--encoder-opt=", "x264-params=", "--muxer-opt=", "--crf=", R"(\"frame\":)",
        R"(\"box\":)", R"(\"time\":)", ":grow=", ":shape=ellipse"})
    words.emplace(word);
  std::ofstream dictionary(directory / "words.dict");
  for (const std::string& word : words) dictionary << '"' << word << "\"\n";
  return dictionary.flush() ? 0 : 1;
}
