#include "pipeline/sink/sink_kinds.h"

namespace vidconv {
namespace {

class NullSink final : public Sink {
 public:
  void write(Frame) override { ++frames_; }
  void finish() override {}
  std::int64_t frames() const override { return frames_; }
  std::string description() const override { return "nothing"; }

 private:
  std::int64_t frames_ = 0;
};

}  // namespace

std::unique_ptr<Sink> open_null_sink(const OutputPlan&, const InputInfo&) {
  return std::make_unique<NullSink>();
}

}  // namespace vidconv
