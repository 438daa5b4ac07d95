// The ledger adds up, and says so if it does not.
#include "pipeline/base/packet_statistics.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;
using test::processor_for;
using test::TempDir;

PacketStatistics video() {
  PacketStatistics a;
  a.type = "video";
  a.filtered = true;
  a.read = 10, a.decoded = 7, a.refused = 1, a.outside = 2;
  a.frames = 8, a.frames_handed_on = 5, a.frames_outside = 2, a.frames_unused = 1;
  return a;
}

PacketStatistics sound() {
  PacketStatistics a;
  a.stream = 3;
  a.type = "audio";
  a.read = 10, a.handed_on = 6, a.outside = 3, a.unused = 1;
  return a;
}

constexpr CopyStatistics copies{.copied = 3, .left_out = 2, .empty = 1};

TEST(Account, AddsUp) {
  EXPECT_EQ(imbalance(video(), nullptr), "");
  EXPECT_EQ(imbalance(sound(), &copies), "");
  EXPECT_EQ(imbalance({}, nullptr), "");
}

TEST(Account, EveryCountMatters) {
  using Count = std::int64_t PacketStatistics::*;
  for (const Count count :
       {&PacketStatistics::read, &PacketStatistics::decoded, &PacketStatistics::refused,
        &PacketStatistics::outside, &PacketStatistics::frames, &PacketStatistics::frames_handed_on,
        &PacketStatistics::frames_outside, &PacketStatistics::frames_between,
        &PacketStatistics::frames_unused}) {
    PacketStatistics wrong = video();
    ++(wrong.*count);
    EXPECT_NE(imbalance(wrong, nullptr), "");
  }
  for (const Count count : {&PacketStatistics::read, &PacketStatistics::handed_on,
                            &PacketStatistics::outside, &PacketStatistics::unused}) {
    PacketStatistics wrong = sound();
    ++(wrong.*count);
    EXPECT_NE(imbalance(wrong, &copies), "");
  }
  for (const auto count :
       {&CopyStatistics::copied, &CopyStatistics::left_out, &CopyStatistics::empty,
        &CopyStatistics::refused, &CopyStatistics::decoded}) {
    CopyStatistics wrong = copies;
    ++(wrong.*count);
    EXPECT_NE(imbalance(sound(), &wrong), "");
  }
  EXPECT_EQ(imbalance(sound(), nullptr),
            "stream #3 (audio): 6 packets were handed on, but 0 copied + 0 left out + 0 empty + 0 "
            "decoded + 0 refused");
}

// A new member does not compile here before it is looked at, and has to be added up too.
TEST(Account, AddingLeavesNoCountOut) {
  PacketStatistics to;
  auto& [stream, type, codec, filtered, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = to;
  std::int64_t value = 0;
  for (std::int64_t* count : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o})
    *count = ++value;
  const PacketStatistics other = to;
  add_counts(to, other);
  value = 0;
  for (const std::int64_t count : {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o})
    EXPECT_EQ(count, 2 * ++value);
  EXPECT_EQ(stream, 0);
  EXPECT_EQ(type + codec, "");
  EXPECT_FALSE(filtered);
}

// Claims to have handed on one more than it has.
class BoastfulSource final : public Source {
 public:
  explicit BoastfulSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}
  const VideoInfo& video() const override { return inner_->video(); }
  std::optional<Item> next() override { return inner_->next(); }
  void cancel() override { inner_->cancel(); }
  std::size_t memory() const override { return inner_->memory(); }
  std::vector<PacketStatistics> accounts() const override {
    std::vector<PacketStatistics> accounts = inner_->accounts();
    ++accounts[0].frames_handed_on;
    ++accounts[0].frames;
    return accounts;
  }

 private:
  std::unique_ptr<Source> inner_;
};

TEST(Account, LossOnTheWayCostsNoFile) {
  for (const auto run_it : {run, run_serial}) {
    const TempDir dir;
    test::write_file(dir / "out.mkv", "precious");
    BoastfulSource source(open_source("pattern:48x32#10", {}));
    SinkOptions options;
    options.overwrite = true;
    const auto sink = open_sink(dir / "out.mkv", options, source.info());
    const auto processor = processor_for(source, {"box"});
    try {
      run_it(source, *processor, *sink, {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), MessageKind::unaccounted);
      EXPECT_NE(error.message().find("11"), std::string::npos) << error.message();
    }
    EXPECT_EQ(test::read_file(dir / "out.mkv"), "precious");
  }
}

TEST(Account, OfWhatHasNoContainer) {
  const RunResult result =
      test::convert("pattern:48x32@25", "null:", {"box"}, {}, {.start = 0.2, .frames = 7});
  ASSERT_EQ(result.streams.size(), 1u);
  EXPECT_EQ(result.streams[0].frames, 7);  // a pattern skips without drawing
  EXPECT_EQ(result.streams[0].frames_handed_on, 7);
  EXPECT_EQ(result.written, 7);
}

}  // namespace
}  // namespace vidconv
