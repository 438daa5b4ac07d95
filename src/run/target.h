// The report of --target.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pipeline/settings/quality_search.h"

namespace vidconv {

nlohmann::ordered_json target_json(const FoundQuality& found);

}  // namespace vidconv
