// CaseConvolvers holds the convolvers of each case of a work; cases with the same plan share them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/filter/processor.h"
#include "pipeline/work/timed_work.h"

namespace vidconv {

// Not thread-safe: all convolvers belong to one thread at a time.
class CaseConvolvers {
 public:
  // Makes a convolver of a prepared step. The constructor throws as prepare_step() and `make` do.
  using Make = std::function<std::unique_ptr<Convolver>(const Prepared&)>;
  CaseConvolvers(const TimedWork& work, const ProcessorOptions& options, const Make& make);

  Convolver& of(std::size_t number, std::size_t step) const { return *cases_[number][step]; }
  // Returns the name of each step's variant, case after case.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::unique_ptr<Convolver>> convolvers_;
  std::vector<std::vector<Convolver*>> cases_;
  std::vector<std::string> variants_;
};

}  // namespace vidconv
