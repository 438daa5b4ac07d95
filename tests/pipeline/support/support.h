// The tests of the pipeline share these functions and classes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/spec/parse.h"
#include "pipeline/run/run.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

namespace vidconv::test {

// A directory for the running test alone, removed with this object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Returns the names of all files in it, sorted.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

// Keeps every frame's visible samples, packed.
class MemorySink final : public Sink {
 public:
  void write(Frame frame) override;
  void finish() override { finished = true; }
  std::int64_t frames() const override { return static_cast<std::int64_t>(pictures.size()); }
  std::string description() const override { return "memory"; }
  void copy(PacketPtr packet) override { ++packets[packet->stream_index].copied; }
  std::map<int, CopyStatistics> copies() const override { return packets; }

  std::vector<std::string> pictures;
  std::vector<std::int64_t> times;  // pts
  std::map<int, CopyStatistics> packets;
  bool finished = false;
};

std::string packed(const Frame& frame);

// Returns every device of this machine that filters. Fails the test if VIDCONV_REQUIRE_CUDA=1 and
// there is no CUDA device.
std::vector<Device> all_devices();

// Returns whether all_devices() has it.
bool has(Device device);
// Returns options for frames in the memory that the device wants.
SourceOptions source_options_for(Device device);

// Returns the work of a chain of filters on the frames of `source`.
TimedWork work_for(const Source& source, const std::vector<std::string>& chain);
// Gives frames those around them, where filters of the chain are over time.
std::unique_ptr<Source> windowed(std::unique_ptr<Source> source,
                                 const std::vector<std::string>& chain);

// Makes a processor of a chain of filters, on the CPU unless the options say otherwise, for the
// frames of `source`.
std::unique_ptr<Processor> processor_for(const Source& source,
                                         const std::vector<std::string>& chain,
                                         ProcessorOptions options = {});

// Everything that comes out of a source, unfiltered.
struct Contents {
  std::vector<std::string> pictures;
  std::vector<std::int64_t> times;
  std::map<int, std::int64_t> packets;
  Damage damage;
};
Contents read_all(Source& source);
Contents read_all(const std::string& input, const SourceOptions& options = {});

// Filters `input` with `chain` into `output`.
RunResult convert(const std::string& input, const std::string& output,
                  const std::vector<std::string>& chain = {"identity"}, SinkOptions options = {},
                  const SourceOptions& source_options = {});

// Runs `act`, which must throw an Error of this kind whose message holds each of `words`.
template <class F>
void expect_error(Fault fault, const std::vector<std::string>& words, F&& act) {
  try {
    act();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.message();
    for (const std::string& word : words)
      EXPECT_NE(error.message().find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.message();
  }
}

}  // namespace vidconv::test
