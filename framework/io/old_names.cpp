// SPDX-License-Identifier: Apache-2.0
#include "io/old_names.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

namespace aclgrad::detail {
namespace {

constexpr std::string_view kOldAverage = "average.";

// What is kept once for all variables, by an optimizer or a loss scaler of any name, or an average.
bool is_of_no_variable(const std::string& name) {
  constexpr std::string_view kEnds[] = {".steps", ".learning_rate", ".learning_rate.plateau",
                                        ".scale", ".inverse",       ".good_steps"};
  const auto is_end = [&](std::string_view end) { return name.ends_with(end); };
  return name == "average_updates" || std::ranges::any_of(kEnds, is_end);
}

}  // namespace

std::string old_name(std::string name) {
  if (name.starts_with(Variable::kMark)) name.erase(0, 1);
  std::ranges::replace(name, Variable::kMark, '.');
  return name;
}

NamedTensors with_new_names(NamedTensors tensors, const std::vector<Variable>& model) {
  const auto is_marked = [](const auto& named) {
    return named.first.find(Variable::kMark) != std::string::npos;
  };
  if (std::ranges::any_of(tensors, is_marked)) return tensors;
  std::set<std::string, std::less<>> names;
  for (const Variable& variable : model) names.insert(variable.name());
  for (auto& [name, tensor] : tensors) {
    if (names.contains(name)) continue;
    if (name.starts_with(kOldAverage) && names.contains(name.substr(kOldAverage.size()))) {
      name = "@average@" + name.substr(kOldAverage.size());
      continue;
    }
    std::size_t end = name.rfind('.');
    while (end != std::string::npos && end > 0 && !names.contains(name.substr(0, end))) {
      end = name.rfind('.', end - 1);
    }
    if (end != std::string::npos && end > 0) {
      name[end] = Variable::kMark;
    } else if (is_of_no_variable(name)) {
      name.insert(name.begin(), Variable::kMark);
    }
  }
  return tensors;
}

}  // namespace aclgrad::detail
