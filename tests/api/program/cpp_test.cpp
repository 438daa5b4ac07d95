// Tests what the C++ headers add to the C functions.
//
//   cpp_test VIDCONV FOLDER, the first of which is not used
#include <vidconv/pixels.h>
#include <vidconv/video.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::cerr << what << '\n';
}

template <class Error, class Function>
void check_throws(const std::string& words, Function function) {
  try {
    function();
  } catch (const Error& error) {
    check(std::string(error.what()).find(words) != std::string::npos,
          std::string("not about ") + words + ": " + error.what());
    return;
  }
  check(false, "nothing was thrown about " + words);
}

// A second implementation of a box of three samples a row, with replicated ends, is the judge.
template <class Sample>
void check_rows(vidconv::PixelFilter& filter, int width, int height, int channels) {
  const std::size_t row = static_cast<std::size_t>(width * channels), padding = 5;
  std::vector<Sample> from((row + padding) * static_cast<std::size_t>(height)), to(from.size(), 77);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Sample>(i * 37 % 251);
  const auto stride = static_cast<std::ptrdiff_t>((row + padding) * sizeof(Sample));
  filter.apply({.data = from.data(), .stride = stride, .width = width, .height = height},
               {.data = to.data(), .stride = stride, .width = width, .height = height});
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels + static_cast<int>(padding); ++i) {
      const std::size_t start = static_cast<std::size_t>(y) * (row + padding);
      const auto at = [&](int x) {
        const int inside = std::clamp(x, 0, width - 1) * channels + i % channels;
        return static_cast<int>(from[start + static_cast<std::size_t>(inside)]);
      };
      const int x = i / channels;
      const bool sample = i < width * channels;
      const int wanted = sample ? (2 * (at(x - 1) + at(x) + at(x + 1)) + 3) / 6 : 77;
      check(to[start + static_cast<std::size_t>(i)] == wanted,
            std::to_string(width) + "x" + std::to_string(height) + ", sample " + std::to_string(i) +
                " of row " + std::to_string(y));
    }
}

// Planes that know their samples give the same, and refuse samples of another depth.
void check_typed_pixels() {
  std::vector<std::uint8_t> from(40 * 30), to(from.size()), typed(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i * 37 % 251);
  vidconv::PixelFilter box("box");
  box.apply({.data = from.data(), .stride = 40, .width = 40, .height = 30},
            {.data = to.data(), .stride = 40, .width = 40, .height = 30});
  const vidconv::PixelPlane<const std::uint8_t> source{from.data(), 40, 40, 30};
  box.apply(source, vidconv::PixelPlane<std::uint8_t>{typed.data(), 40, 40, 30});
  check(typed == to, "planes of std::uint8_t give something else");
  vidconv::PixelFilter words("box", {.depth = 10});
  check_throws<std::invalid_argument>("they have 2", [&] {
    words.apply(source, vidconv::PixelPlane<std::uint8_t>{typed.data(), 40, 40, 30});
  });
  std::vector<float> floats(40 * 30), results(floats.size(), 1.0F);
  vidconv::PixelFilter real("box", {.depth = 32});
  real.apply(vidconv::PixelPlane<float>{floats.data(), 160, 40, 30},
             vidconv::PixelPlane<float>{results.data(), 160, 40, 30});
  check(results == floats, "a box of black is black");
}

void check_pixels() {
  const std::string third = "row:1/3 1/3 1/3";
  for (const int channels : {1, 3}) {
    vidconv::PixelFilter bytes(third, {.channels = channels, .border = "replicate"});
    vidconv::PixelFilter words(third, {.depth = 10, .channels = channels, .border = "replicate"});
    for (const auto& [width, height] : {std::array{1, 1}, {7, 3}, {7, 4}, {40, 2}, {7, 3}}) {
      check_rows<std::uint8_t>(bytes, width, height, channels);
      check_rows<std::uint16_t>(words, width, height, channels);
    }
  }
  check_throws<std::invalid_argument>("no-such", [] { vidconv::PixelFilter("no-such"); });
  check_throws<std::invalid_argument>("u7", [] { vidconv::PixelFilter("box", {.depth = 7}); });
  check_throws<std::invalid_argument>("mirror",
                                      [] { vidconv::PixelFilter("box", {.border = "mirror"}); });
  check_throws<std::invalid_argument>("2x1 and 1x2", [] {
    std::array<std::uint8_t, 2> a{}, b{};
    vidconv::PixelFilter("box").apply({.data = a.data(), .stride = 2, .width = 2, .height = 1},
                                      {.data = b.data(), .stride = 1, .width = 1, .height = 2});
  });
}

void check_videos(const std::string& folder) {
  vidconv::VideoJob job;
  job.input = "pattern:64x48#2000";
  job.output = folder + "/cpp_test.y4m";
  job.kernels = {"box"};
  job.device = "cpu";
  job.overwrite = true;
  std::mutex mutex;
  std::vector<std::string> said;
  job.notice = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    said.push_back(line);
  };
  std::int64_t last = -1;
  job.progress = [&](const vidconv::VideoProgress& progress) {
    check(progress.frames >= last && progress.total == 2000, "progress goes on, and has a total");
    last = progress.frames;
    return true;
  };
  const vidconv::VideoResult whole = vidconv::filter_video(job);
  check(whole.frames == 2000 && !whole.stopped && whole.damage.empty(), "all frames, undamaged");
  check(last == 2000, "the last progress has all frames");

  job.input = "pattern:64x48#100000";
  job.progress = [](const vidconv::VideoProgress&) { return false; };
  const vidconv::VideoResult stopped = vidconv::filter_video(job);
  check(stopped.stopped && stopped.frames > 0 && stopped.frames < 100000, "stopped by progress");

  job.progress = [](const vidconv::VideoProgress&) -> bool { throw std::domain_error("mine"); };
  check_throws<std::domain_error>("mine", [&] { vidconv::filter_video(job); });

  job.progress = nullptr;
  for (const auto& [input, output, kernels, code, words] :
       {std::tuple{"no-such.mp4", "a.y4m", std::vector<std::string>{"box"}, 3, "no-such.mp4"},
        {"pattern:8x8#1", "/no/such/folder/a.y4m", {"box"}, 4, "/no/such/folder"},
        {"pattern:8x8#1", "null:", {"boxx"}, 2, "boxx"},
        {"pattern:8x8#1", "null:", {}, 2, "no kernel"}}) {
    job.input = input;
    job.output = output;
    job.kernels = kernels;
    try {
      vidconv::filter_video(job);
      check(false, std::string("no error about ") + words);
    } catch (const vidconv::VideoError& error) {
      check(error.code() == code && std::string(error.what()).find(words) != std::string::npos,
            error.what());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  check_typed_pixels();
  check_pixels();
  check_videos(argv[2]);
  return failures ? 1 : 0;
}
