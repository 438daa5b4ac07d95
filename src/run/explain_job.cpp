#include "src/run/explain_job.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "pipeline/base/url.h"
#include "src/options/measure_words.h"
#include "src/run/explain.h"

namespace vidconv {

std::string explain_job(const Options& options, Job& job) {
  const Source& source = *job.source();
  const std::vector<InputVideo> videos = source.videos();
  std::optional<OutputPlan> plan;
  if (!options.output.empty()) plan = job.plan();
  const bool stay_on_device = plan && Job::stays_on_device(*plan);
  std::string text;
  for (std::size_t i = videos.size(); i-- > 0;) {  // backwards: the report is about the first
    const VideoInfo& video = videos[i].info;
    const Processor& processor = job.prepare(i, stay_on_device);
    std::string input = redacted(options.input);
    if (videos.size() > 1) input += fmt::format(", video {} of {}", i + 1, videos.size());
    std::string about = explain(input, video, source.on_device(), stay_on_device,
                                job.shares_uploads(), job.works()[i], processor, job.slots(video));
    const std::string encoder = plan ? describe_encoder(*plan, i, video) : "";
    if (!encoder.empty()) about += fmt::format("encoder {}\n", encoder);
    if (const auto limits = job.latency()) about += explain(*limits);
    if (plan && plan->options.encoder.shards)
      about += fmt::format("shards  {}\n", describe(*plan->options.encoder.shards, video));
    if (options.measures.any())
      about += fmt::format("measure {} of what is decoded again\n", names_of(options.measures));
    text.insert(0, about);
  }
  return text;
}

}  // namespace vidconv
