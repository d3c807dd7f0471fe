// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "bench/kernels/times.h"

namespace aclgrad::bench {
namespace {

nlohmann::ordered_json cell_to_json(const Cell& cell) {
  return {{"operation", cell.operation->name},
          {"group", name_of(cell.operation->group)},
          {"dtype", name_of(cell.dtype)},
          {"size", cell.size_name()},
          {"elements", cell.elements()},
          {"layout", name_of(cell.layout)},
          {"threads", cell.threads}};
}

}  // namespace

std::string to_json(const Times& times) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (const Result& result : times.results) {
    cells.push_back(cell_to_json(result.cell));
    cells.back()["seconds"] = result.seconds;
  }
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const Level& level : times.levels) {
    levels.push_back(cell_to_json(level.cell));
    for (const auto& [data, seconds] : level.seconds) {
      levels.back()["seconds"][name_of(data)] = seconds;
    }
  }
  return nlohmann::ordered_json{
      {"benchmark", "kernels"},
      {"instruction_set", times.instruction_set},
      {"threads", times.threads},
      {"peers", times.peers},
      {"effort",
       {{"seconds", times.effort.least_seconds},
        {"repetitions", times.effort.repetitions},
        {"passes", times.effort.passes}}},
      {"launch", {{"phase_one", times.launch.phase_one}, {"phase_two", times.launch.phase_two}}},
      {"cells", cells},
      {"data", levels}}
      .dump();
}

}  // namespace aclgrad::bench
