// Words for the settings of a job, as vidconv_job_set() collects them.
#pragma once

#include <string>

#include "pipeline/settings/settings.h"

namespace vidconv {

class SettingWords {
 public:
  // Throws Error(usage), ColumnError.
  void set(const std::string& name, const std::string& value);
  Settings settings() const;

 private:
  SettingValues words_;
};

// Returns the values and the purpose of a setting, in one line.
std::string meaning_of(const Setting& setting);

}  // namespace vidconv
