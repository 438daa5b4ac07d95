#include "pipeline/run/verify.h"

#include <cstring>
#include <iomanip>
#include <optional>
#include <sstream>
#include <utility>

namespace vidconv {
namespace {

double code_at(const Frame& frame, std::size_t component, int x, int y) {
  const ConstBytePlane plane = frame.component(component);
  const SampleType& sample = frame.format().components[component].sample;
  const std::byte* at = plane.row(y) + static_cast<std::ptrdiff_t>(x) * plane.step * sample.bytes();
  if (sample.storage == Storage::u8) return std::to_integer<int>(*at);
  if (sample.storage == Storage::f32) {
    float stored;
    std::memcpy(&stored, at, sizeof stored);
    return static_cast<double>(stored);
  }
  std::uint16_t stored;
  std::memcpy(&stored, at, sizeof stored);
  return stored >> sample.shift;
}

std::string shown(double code) {
  std::ostringstream text;
  text << std::setprecision(9) << code;  // enough to tell floats apart
  return text.str();
}

[[noreturn]] void report_difference(const Frame& ours, const Frame& theirs,
                                    const std::string& other) {
  for (std::size_t i = 0; i < ours.format().components.size(); ++i) {
    const ConstBytePlane plane = ours.component(i);
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x) {
        const double a = code_at(ours, i, x, y), b = code_at(theirs, i, x, y);
        if (a == b) continue;
        Error error(Fault::verification, "verification failed",
                    std::string(1, ours.format().components[i].name) + " at " + std::to_string(x) +
                        "," + std::to_string(y),
                    shown(a) + " here, " + shown(b) + " by " + other,
                    "please report it with the command line");
        error.set_frame(ours.number());
        throw error;
      }
  }
  throw Error(Fault::internal, "frames differ outside their components", "", "");
}

}  // namespace

Verifier::Verifier(std::unique_ptr<Processor> other, std::int64_t every)
    : other_(std::move(other)), every_(every) {}

std::string Verifier::other() const {
  if (!other_->device().starts_with("CPU")) return other_->device();
  std::string names;
  for (const std::string& name : other_->variants())  // one per step, copies and fills among them
    if (name != "cpu-copy" && name != "cpu-fill" && names.find(name) == std::string::npos)
      names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? other_->device() : names;
}

void Verifier::keep(const Frame& input) {
  if (input.number() % every_ != 0) return;
  const std::lock_guard lock(mutex_);
  kept_.push_back(input.share());
}

void Verifier::check(const Frame& output) {
  if (output.number() % every_ != 0) return;
  std::unique_lock lock(mutex_);
  if (kept_.empty() || kept_.front().number() != output.number())
    throw Error(Fault::internal, "a frame came out that was not put in", "", "");
  Frame input = std::move(kept_.front());
  kept_.pop_front();
  lock.unlock();

  other_->submit(std::move(input));
  const std::optional<Frame> again = other_->collect();
  if (!again) throw Error(Fault::internal, "the verifying processor was cancelled", "", "");
  if (!equal_pictures(output, *again)) report_difference(output, *again, other());
  ++checked_;
}

}  // namespace vidconv
