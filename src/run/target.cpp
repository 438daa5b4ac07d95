#include "src/run/target.h"

#include <nlohmann/json.hpp>

namespace vidconv {

nlohmann::ordered_json target_json(const FoundQuality& found) {
  using Json = nlohmann::ordered_json;
  const auto value = [](const std::optional<double>& reached) {
    return reached ? Json(*reached) : Json(nullptr);
  };
  Json tried = Json::array(), parts = Json::array();
  for (const QualityTry& one : found.tried)
    tried.push_back({{"crf", one.crf}, {"value", value(one.reached)}});
  for (const auto& [start, seconds] : found.parts)
    parts.push_back({{"start", start}, {"seconds", seconds}});
  return {{"measure", found.target.measure},
          {"wanted", found.target.value},
          {"encoder", found.encoder},
          {"crf", found.chosen.crf},
          {"value", value(found.chosen.reached)},
          {"tried", tried},
          {"parts", parts}};
}

}  // namespace vidconv
