// Reads other text than kernels: plans of clusters, ledgers of shards, files of boxes (JSON lines,
// CSV), words of --regions. The first byte says which. Plans and ledgers contain digests of
// themselves, which a fuzzer cannot find: this target makes valid ones from the bytes.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/region/box_file.h"
#include "pipeline/region/box_words.h"
#include "src/cluster/cluster_plan.h"
#include "tests/fuzz/input.h"

namespace {

using namespace vidconv;

void require(bool holds) {
  if (!holds) std::abort();
}

// Takes numbers from the bytes; 0 when there are no more.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  bool any() const { return !bytes_.empty(); }
  std::int64_t next() {
    std::int64_t number = 0;
    const std::size_t count = std::min(bytes_.size(), sizeof number);
    std::memcpy(&number, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return number;
  }

 private:
  std::string_view bytes_;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// An accepted plan must be written as it was read.
void read_plan(const std::string& text) {
  const ClusterPlan plan = ClusterPlan::parse(text, "plan.json");
  const ClusterPlan again = ClusterPlan::parse(plan.json(), "again");
  require(again.json() == plan.json());
  require(plan.frames() >= static_cast<std::int64_t>(plan.parts.size()));
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const Interval interval = plan.interval(part, {});
    require(interval.begin < interval.end);
  }
}

void make_plan_of(std::string_view text) {
  ClusterPlan plan;
  plan.source = {"/in.mkv", 1, "digest"};
  plan.ending = ".mkv";
  plan.words = lines_of(text.substr(0, text.find('\0')));
  plan.shards = "2";
  Numbers numbers(text.substr(std::min(text.find('\0'), text.size() - 1) + 1));
  plan.time_base = {static_cast<int>(numbers.next()), static_cast<int>(numbers.next())};
  do {
    const std::int64_t begin = numbers.next();
    plan.parts.push_back({begin, numbers.next()});
  } while (numbers.any());
  // The reader limits frames, so that an accepted plan can add them up; here nobody has done so
  // yet.
  constexpr std::int64_t most = INT64_MAX / 4096;
  for (const ClusterPlan::Part& part : plan.parts)
    if (part.frames < -most || part.frames > most) return;
  read_plan(plan.json());
}

// Checks whether a plan may bring options, and parses them; files are left to other targets.
void read_options(const std::string& text) {
  for (const char* file : {"file:", "mask=", "@"})
    if (text.find(file) != text.npos) return;
  const std::vector<std::string> words = lines_of(text);
  check_planned("plan.json", "/in.mkv", words);
  const Options options = options_of("/in.mkv", "/out.mkv", words, {});
  require(options.list == List::none && !options.gallery && !options.no_sandbox &&
          !options.sink.overwrite && options.stats_file.empty() && options.output == "/out.mkv" &&
          options.inputs.size() == 1);
}

void make_ledger_of(const std::string& text) {
  ShardLedger ledger{.key = "key", .digest = "digest", .header = text, .bytes = 1, .packets = {}};
  for (Numbers numbers(text); numbers.any();) {
    const std::int64_t pts = numbers.next(), dts = numbers.next(), duration = numbers.next();
    ledger.packets.push_back({pts, dts, duration, static_cast<int>(numbers.next())});
  }
  const ShardLedger again = parse_ledger(ledger_json(ledger, 0), "ledger", "key");
  require(again.header == ledger.header && again.packets.size() == ledger.packets.size());
  for (std::size_t i = 0; i < again.packets.size(); ++i)
    require(again.packets[i].pts == ledger.packets[i].pts &&
            again.packets[i].flags == ledger.packets[i].flags);
}

void read(std::uint8_t kind, const std::string& text) {
  switch (kind) {
    case 'p':
      return read_plan(text);
    case 'm':
      return text.empty() ? void() : make_plan_of(text);
    case 'o':
      return read_options(text);
    case 'l':
      parse_ledger(text, "ledger", "key");
      return;
    case 'n':
      return make_ledger_of(text);
    case 'b':
      for (const BoxLine& line : read_boxes(text, "boxes", Units::pixels))
        require(line.width > 0 && line.height > 0);
      return;
    case 'r':
      parse_regions(text);
      return;
    default:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  vidconv::fuzz::expect_no_fault_of_ours([&] { read(data[0], text); });
  return 0;
}
