// Targets for the time of kernels, from a file, beside measured times: vidconv-bench kernels
// --targets.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"

namespace vidconv::bench {

// One line of the file: a filter, and the microseconds that each of its sizes may take.
struct TargetLine {
  std::string filter;  // a name that --kind takes
  int bits = 8;
  struct Size {
    int size;
    double us;
  };
  std::vector<Size> sizes;  // in ascending order
};

struct Targets {
  std::string what;           // where they come from, one line
  std::string device, frame;  // names that --device and --frame take
  std::vector<TargetLine> lines;
};

// Reads a file of targets. Throws std::runtime_error, which names the file and says what is wrong
// with it.
Targets read_targets(const std::string& path);

struct Timing {
  std::string variant;
  double us;
};
using TimeKernel = std::function<Timing(const std::string& filter, int size, int bits)>;

// Measures every target. Adds two tables: "targets", a row for each line of the file and a column
// for each size, and "kernels-targets", a row for each target, for programs to read.
void measure_targets(const Targets& targets, const TimeKernel& time, Report& report);

}  // namespace vidconv::bench
