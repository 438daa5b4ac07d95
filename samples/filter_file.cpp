// filter_file INPUT OUTPUT KERNEL...: filters a video, and says how far it is.
#include <vidconv/video.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: filter_file INPUT OUTPUT KERNEL...\n";
    return 2;
  }
  vidconv::VideoJob job{.input = argv[1], .output = argv[2], .kernels = {argv + 3, argv + argc}};
  job.progress = [](const vidconv::VideoProgress& progress) {
    std::cerr << progress.frames << " frames\r";
    return true;  // go on
  };
  job.notice = [](const std::string& line) { std::cerr << line << '\n'; };
  try {
    const vidconv::VideoResult result = vidconv::filter_video(job);
    std::cout << result.frames << " frames filtered\n";
  } catch (const vidconv::VideoError& error) {
    std::cerr << error.what() << '\n';
    return error.code();
  }
}
