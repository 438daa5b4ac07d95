// What computes the steps of each case of a work; cases that have the same plan share it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/filter/processor.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// run() of one belongs to one thread at a time, as does that of all.
class CaseConvolvers {
 public:
  // Throws as prepare_step() does, and as `make` does, which makes a convolver of what is prepared.
  using Make = std::function<std::unique_ptr<Convolver>(const Prepared&)>;
  CaseConvolvers(const TimedWork& work, const ProcessorOptions& options, const Make& make);

  Convolver& of(std::size_t number, std::size_t step) const { return *cases_[number][step]; }
  // The name of the variant of each step, case after case.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::unique_ptr<Convolver>> convolvers_;
  std::vector<std::vector<Convolver*>> cases_;
  std::vector<std::string> variants_;
};

}  // namespace vidconv
