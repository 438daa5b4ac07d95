// TimeDefinition is what the definitions of taps over frames, and over frames and pixels, share.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/convolver/time_convolver.h"
#include "kernels/cpu/definition_steps.h"

namespace vidconv {

// Derived has compute<Acc, T>(group), where Acc is the arithmetic (std::int32_t, float or double)
// and T the sample type.
template <class Derived>
class TimeDefinition : public TimeConvolver {
 public:
  TimeDefinition(const Plan& plan, int threads) : TimeConvolver(plan, threads) {}

 protected:
  template <class Acc, class T>
  Acc value(T stored) const {
    return value_of<Acc>(stored, plan_.sample);
  }
  // Returns the value that counts for `there`, one of another frame: `centre` is the filtered
  // one's.
  template <class Acc>
  Acc near(Acc there, Acc centre) const {
    const double most = plan_.over_time->threshold;
    const Acc apart = there < centre ? centre - there : there - centre;
    return most >= 0 && apart > static_cast<Acc>(most) ? centre : there;
  }
  // Returns the sample as it is stored.
  template <class T, class Acc>
  T finished(Acc sum) const {
    Combined<Acc> combined;
    combined.first(plan_.finish, sum);
    return stored_code(combined.template finish<T>(plan_.finish), plan_.sample);
  }

 private:
  std::unique_ptr<TimeConvolver> make(const Plan& plan) const override {
    return std::make_unique<Derived>(plan, threads_);
  }

  void run_group(const Group& group) override {
    switch (plan_.arith) {
      case Arith::int32:
        return with_arith<std::int32_t>(group);
      case Arith::float32:
        return with_arith<float>(group);
      case Arith::float64:
        return with_arith<double>(group);
    }
  }

  template <class Acc>
  void with_arith(const Group& group) const {
    const auto& derived = static_cast<const Derived&>(*this);
    switch (plan_.sample.storage) {
      case Storage::u8:
        return derived.template compute<Acc, std::uint8_t>(group);
      case Storage::u16:
        return derived.template compute<Acc, std::uint16_t>(group);
      case Storage::f32:
        return derived.template compute<Acc, float>(group);
    }
  }
};

}  // namespace vidconv
