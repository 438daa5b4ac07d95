// Several readers of one source: each gets all of it, none gets ahead, and none waits for one that
// has left.
#include "pipeline/source/source_shared.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/pipeline/support/support.h"

namespace vidconv {
namespace {

using test::expect_error;
using test::MemorySink;
using test::processor_for;

constexpr int capacity = 2;

// Counts what is read of a pattern, and fails at a frame.
class CountedSource final : public Source {
 public:
  CountedSource(const std::string& input, std::atomic<int>& read, int fails_at)
      : inner_(open_source(input, {})), read_(read), fails_at_(fails_at) {}
  const VideoInfo& video() const override { return inner_->video(); }
  std::optional<Item> next() override {
    if (cancelled_) return std::nullopt;
    if (read_++ == fails_at_) throw Error(Fault::input, "injected", "", "on purpose");
    return inner_->next();
  }
  void cancel() override { cancelled_ = true; }
  std::size_t memory() const override { return inner_->memory(); }
  // Demuxers read the input for this, so that two threads must not ask.
  bool has_manifest() const override { return ++asked_ == 1; }

 private:
  const std::unique_ptr<Source> inner_;
  std::atomic<int>& read_;
  const int fails_at_;
  std::atomic<bool> cancelled_ = false;
  mutable int asked_ = 0;
};

class SharedSources : public testing::Test {
 protected:
  SharedSource share(const std::string& input, std::size_t readers, int fails_at = -1) {
    return {std::make_unique<CountedSource>(input, read_, fails_at), readers, capacity};
  }
  // Waits until so many items were read, and sees whether more of them are.
  void expect_read(int items) const {
    using namespace std::chrono_literals;
    for (int i = 0; i < 6000 && read_ < items; ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(read_, items);
  }

  std::atomic<int> read_ = 0;
};

const std::byte* samples_of(const std::optional<Item>& item) {
  return std::get<Frame>(*item).row(0, 0);
}

TEST_F(SharedSources, GiveEachReaderTheSameMemory) {
  SharedSource shared = share("pattern:16x16#3", 2);
  const auto a = shared.reader(0), b = shared.reader(1);
  std::vector<std::optional<Item>> of_a, of_b;
  std::jthread other([&] {
    for (int i = 0; i < 4; ++i) of_b.push_back(b->next());
  });
  for (int i = 0; i < 4; ++i) of_a.push_back(a->next());
  other.join();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(samples_of(of_a[i]), samples_of(of_b[i]));
    EXPECT_EQ(std::get<Frame>(*of_b[i]).number(), static_cast<std::int64_t>(i));
  }
  EXPECT_FALSE(of_a[3]);
  EXPECT_FALSE(of_b[3]);
}

TEST_F(SharedSources, AreUnreadUntilEveryReaderAsks) {
  SharedSource shared = share("pattern:16x16#3", 2);
  const auto a = shared.reader(0), b = shared.reader(1);
  std::jthread first([&] { EXPECT_TRUE(a->next()); });
  expect_read(0);
  EXPECT_TRUE(b->next());
  first.join();
}

TEST_F(SharedSources, AskForTheManifestOnce) {
  SharedSource shared = share("pattern:16x16#3", 2);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(shared.reader(i)->info().has_manifest);
}

TEST_F(SharedSources, WaitForTheSlowestReader) {
  SharedSource shared = share("pattern:16x16#100", 2);
  const auto fast = shared.reader(0), slow = shared.reader(1);
  std::atomic<int> got = 0;
  std::jthread reading([&] {
    while (fast->next()) ++got;
  });
  EXPECT_TRUE(slow->next());
  // One item is in the slow reader's hands, as many as fit wait for it, and one waits for room.
  expect_read(1 + capacity + 1);
  EXPECT_LE(got, 1 + capacity + 1);
  slow->cancel();
  reading.join();
  EXPECT_EQ(got, 100);
}

TEST_F(SharedSources, GoOnWithoutAReaderThatNeverAsked) {
  SharedSource shared = share("pattern:16x16#10", 3);
  const auto a = shared.reader(0);
  shared.leave(1);
  { const auto c = shared.reader(2); }
  int frames = 0;
  while (a->next()) ++frames;
  EXPECT_EQ(frames, 10);
}

TEST_F(SharedSources, StopReadingWhenAllHaveLeft) {
  SharedSource shared = share("pattern:16x16", 2);  // without end
  const auto a = shared.reader(0), b = shared.reader(1);
  std::jthread other([&] { b->next(); });
  EXPECT_TRUE(a->next());
  other.join();
  a->cancel();
  b->cancel();
  EXPECT_FALSE(a->next());
  EXPECT_FALSE(b->next());
}

TEST_F(SharedSources, TellEveryReaderOfAFailure) {
  SharedSource shared = share("pattern:16x16#10", 2, 5);
  const auto a = shared.reader(0), b = shared.reader(1);
  const auto read_all = [](Source& source) {
    expect_error(Fault::input, {"injected"}, [&] {
      while (source.next()) {
      }
    });
  };
  std::jthread other([&] { read_all(*b); });
  read_all(*a);
}

TEST_F(SharedSources, StopWithAnError) {
  SharedSource shared = share("pattern:16x16", 2);
  const auto a = shared.reader(0), b = shared.reader(1);
  std::jthread other([&] { b->next(); });
  EXPECT_TRUE(a->next());
  other.join();
  b->cancel();
  shared.stop(Error(Fault::output, "another has failed", "", ""));
  expect_error(Fault::output, {"another has failed"}, [&] {
    while (a->next()) {
    }
  });
  EXPECT_FALSE(b->next());  // it has left, and need not hear of it
}

// Items that wait for a reader when it is stopped must not look like the end.
TEST_F(SharedSources, StopWithAnErrorAfterTheLastItemWasRead) {
  SharedSource shared = share("pattern:16x16#2", 1);
  const auto a = shared.reader(0);
  EXPECT_TRUE(a->next());
  expect_read(3);  // the last time there was none
  shared.stop(Error(Fault::output, "another has failed", "", ""));
  expect_error(Fault::output, {"another has failed"}, [&] { a->next(); });
}

TEST(SharedRuns, EqualRunsOfTheirOwn) {
  const std::vector<std::vector<std::string>> chains = {{"gaussian:sigma=2"},
                                                        {"identity"},
                                                        {"sobel:region=4,4,10,10"},
                                                        {"sharpen", "box:between=0.2-0.4"}};
  for (const auto run_it : {run, run_serial})
    for (const std::string input :
         {"pattern:64x48#20", "pattern:33x17:rgb24#7", "pattern:40x40:yuva444p10le#5"}) {
      SCOPED_TRACE(input);
      SharedSource shared(open_source(input, {}), chains.size());
      std::vector<MemorySink> sinks(chains.size());
      {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < chains.size(); ++i)
          threads.emplace_back([&, i] {
            const auto source = shared.reader(i);
            const auto processor = processor_for(*source, chains[i]);
            run_it(*source, *processor, sinks[i], {});
          });
      }
      for (std::size_t i = 0; i < chains.size(); ++i) {
        const auto source = open_source(input, {});
        const auto processor = processor_for(*source, chains[i]);
        MemorySink alone;
        run(*source, *processor, alone, {});
        EXPECT_EQ(sinks[i].pictures, alone.pictures);
        EXPECT_EQ(sinks[i].times, alone.times);
        EXPECT_TRUE(sinks[i].finished);
      }
    }
}

}  // namespace
}  // namespace vidconv
