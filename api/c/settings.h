// Words for the settings of a job, as vidconv_job_set() collects them.
#pragma once

#include <string>
#include <vector>

#include "pipeline/settings/settings.h"

namespace vidconv {

class SettingWords {
 public:
  // Throws Error(usage), ColumnError.
  void set(const std::string& name, const std::string& value);
  // Takes the place of "regions"; no boxes restore the default. Throws Error(filter_spec), with the
  // index of the box, and Error(usage).
  void set_regions(std::vector<BoxLine> boxes, const std::string& options);
  // Reads the files of kernels and boxes. Throws what that throws.
  Settings settings() const;

 private:
  SettingValues words_;
  std::vector<BoxLine> boxes_;  // in no file
  BoxOptions box_options_;
};

// Returns the values and the purpose of a setting, in one line.
std::string meaning_of(const Setting& setting);

}  // namespace vidconv
