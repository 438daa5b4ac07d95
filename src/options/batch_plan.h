// What a run of several inputs reads and writes, decided before anything is opened or made.
#pragma once

#include <string>
#include <vector>

#include "pipeline/base/notice.h"
#include "src/options/input_list.h"
#include "src/options/options.h"

namespace vidconv {

struct BatchFile {
  std::string input, output;
  std::string stats, trace, metrics;  // as Options::stats_file and its like
};

struct BatchPlan {
  std::vector<BatchFile> files;
  std::vector<std::string> folders;  // in which all outputs and reports are to be, or below
};

// Throws Error(usage) where names clash or a pattern makes no sense, Error(output_is_input) where
// an output is an input of any file, and what list_inputs() throws. Makes nothing.
BatchPlan plan_batch(const Options& options, const Notify& notify);

// The same of a run that watches a folder: its only file is that folder.
BatchPlan plan_watch(const Options& options);
// The names of all that is read and written for one input. Throws Error(usage) where a pattern
// makes no sense for it.
BatchFile batch_file(const ListedInput& input, std::size_t number, const Options& options);

// The options of one file as if it were the only one.
Options options_of(const BatchFile& file, const Options& options);

bool is_kept(const std::string& output);  // in a file: neither null: nor md5:

}  // namespace vidconv
