// The count of damage does not depend on the number of the decoder's threads.
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

using nlohmann::json;

class DamageByThreads : public CliTest {
 protected:
  // Returns the exit code and the packet statistics of a run.
  json account(const std::string& film, const std::string& threads) const {
    const std::string stats = path("stats.json");
    const Result result = run_vidconv(
        {film, "-o", "null:", "--kernel", "box", "-q", "--threads", threads, "--stats", stats});
    json all = json::parse(read_file(stats)).at("damage");
    all["exit_code"] = result.exit_code;
    const bool one_way = threads == "1" || result.exit_code == 0;  // or nothing is damaged
    EXPECT_EQ(all.at("repeatable"), one_way);
    all.erase("repeatable");
    return all;
  }

  // Returns the clip with one byte changed at a distance from its end.
  std::string changed(const std::string& clip, std::size_t from_end) const {
    std::string bytes = read_file(clip);
    bytes.at(bytes.size() - from_end) ^= 0x55;
    std::string film = path("changed" + std::filesystem::path(clip).extension().string());
    write_file(film, bytes);
    return film;
  }
};

TEST_F(DamageByThreads, IsCountedAlike) {
  const std::string clip =
      make_clip("film.mkv", "-c:v libx264 -preset medium -x264-params slices=4:keyint=20");
  const std::size_t size = read_file(clip).size();
  int concealed = 0;
  for (std::size_t at = 1500; at < size - 1000; at += size / 20) {
    SCOPED_TRACE(at);
    const std::string film = changed(clip, at);
    const json alone = account(film, "1");
    concealed += alone.at("first_error").get<std::string>().starts_with("concealing");
    for (const std::string threads : {"2", "8"})
      EXPECT_EQ(account(film, threads), alone) << threads;
  }
  EXPECT_GT(concealed, 0);
}

}  // namespace
}  // namespace vidconv::test
