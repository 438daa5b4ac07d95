#include "src/options/resume_words.h"

#include <sys/stat.h>

#include "pipeline/av/container.h"
#include "pipeline/base/url.h"
#include "pipeline/io/policy/references.h"
#include "src/options/option_values.h"

namespace vidconv {
namespace {

[[noreturn]] void refuse_resume(const std::string& why, const std::string& remedy) {
  refuse("--resume", "", why, remedy);
}

// None where nothing is there.
mode_t mode_of(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

void check_input(const Options& o) {
  if (o.input.starts_with("pattern:")) return;
  const std::string path = local_path(o.input);
  const mode_t mode = mode_of(path);
  if (o.input == "-" || is_url(o.input) || is_live(o) || (mode && !S_ISREG(mode)))
    refuse_resume("the input is no file, and cannot be read once more from the beginning",
                  "write it to a file first");
  if (is_numbered(path) || is_playlist(path, o.source.format))
    refuse_resume("the input is many files, and nobody could tell later whether they are the same",
                  "make one file of them first");
}

void check_output(const Options& o) {
  const mode_t mode = mode_of(local_path(o.output));
  if (o.output == "-" || o.output == "null:" || o.output == "md5:" || is_url(o.output) ||
      is_numbered(o.output) || (mode && !S_ISREG(mode) && !S_ISDIR(mode)))
    refuse_resume("the output is no file that is joined of shards", "name one, such as out.mkv");
}

}  // namespace

void take_resume(const std::string& word, Options& o) {
  o.resume = true;
  if (word != beside_output) o.resume_folder = local_path(word);
  if (!o.shards) o.shards = parse_shards("auto");
}

void check_resume(const Options& o) {
  if (o.gallery || o.benchmark_seconds)
    refuse_resume("there is no video to go on with", "leave it out");
  if (o.measures.any())
    refuse_resume("--measure looks at what is encoded, of which a part may have been before",
                  "leave out one; 'ffmpeg -lavfi psnr' compares files");
  if (o.latency > 0 || o.realtime)
    refuse_resume("what comes in its own time does not come again", "leave it out");
  if (!o.source.video) refuse_resume("one video is cut into shards", "choose one with --video N");
  if (!is_batch(o)) check_input(o);  // else each when its turn comes
  if (!o.output.empty()) check_output(o);
  if (!o.resume_folder.empty() && !S_ISDIR(mode_of(o.resume_folder)))
    refuse("--resume", o.resume_folder, "there is no such folder", "make it, or name another");
}

}  // namespace vidconv
