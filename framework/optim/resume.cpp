// SPDX-License-Identifier: Apache-2.0
// Optimizers that go on from a checkpoint: which of its tensors belong to which parameter, and what
// takes the place of those that it has not.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "aclgrad/optim.h"
#include "optim/support.h"

namespace aclgrad {
namespace {

using detail::owner_of;

constexpr std::string_view kEach = "each";  // a line of a layout

}  // namespace

std::string Optimizer::layout_of(const NamedTensors& checkpoint,
                                 const std::vector<Variable>& updated,
                                 const std::vector<Variable>& resting) const {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < resting.size(); ++i) numbers.emplace(resting[i].name(), i);
  std::string lines;
  bool counts_each = false;
  std::set<std::string> with_state;
  for (const auto& [name, tensor] : checkpoint) {
    const std::string owner = owner_of(name);
    if (owner.empty()) continue;
    const std::string slot = name.substr(owner.size() + 1);
    with_state.insert(owner);
    const auto found = numbers.find(owner);
    counts_each = counts_each || slot == detail::kCount || found != numbers.end();
    if (found != numbers.end() && slot != detail::kCount) {
      lines += fmt::format("{} {}\n", found->second, slot);
    }
  }
  const auto has_state = [&](const Variable& each) { return with_state.contains(each.name()); };
  const bool some = std::ranges::any_of(updated, has_state);
  counts_each = counts_each || (some && !std::ranges::all_of(updated, has_state));
  return counts_each ? fmt::format("{}\n{}", kEach, lines) : lines;
}

void Optimizer::take_layout(const std::string& layout, const std::vector<Variable>& resting) {
  std::istringstream lines(layout);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    slot(resting.at(std::stoul(line.substr(0, space))), line.substr(space + 1));
  }
}

NamedTensors Optimizer::fitted(NamedTensors checkpoint, const NamedTensors& own) const {
  const auto is_rate = [rate =
                            Variable::kMark + name_ + ".learning_rate"](const std::string& name) {
    return name == rate || name == rate + ".plateau";
  };
  std::map<std::string, const Tensor*> wanted;
  for (const auto& [name, tensor] : own) wanted.emplace(name, &tensor);
  std::erase_if(checkpoint, [&](const auto& each) {
    return is_rate(each.first) && !wanted.contains(each.first);
  });
  std::set<std::string> present, with_state;
  for (auto& [name, tensor] : checkpoint) {
    present.insert(name);
    if (owner_of(name).empty()) continue;
    with_state.insert(owner_of(name));
    const auto found = wanted.find(name);
    if (found == wanted.end() || found->second->dtype() == tensor.dtype()) continue;
    if (is_floating(tensor.dtype()) && is_floating(found->second->dtype())) {
      tensor = tensor.to(found->second->dtype());
    }
  }
  for (const auto& [name, tensor] : own) {
    if (present.contains(name)) continue;
    const std::string owner = owner_of(name);
    if (is_rate(name)) {
      checkpoint.emplace_back(name, tensor);
    } else if (!owner.empty() && !with_state.contains(owner)) {
      checkpoint.emplace_back(name, Tensor::zeros(tensor.shape(), tensor.dtype()));
    }
  }
  return checkpoint;
}

void AdamW::take_layout(const std::string& layout, const std::vector<Variable>& resting) {
  Optimizer::take_layout(layout, resting);
  if (!layout.starts_with(kEach)) return;
  count_each_parameter();
  std::istringstream lines(layout);
  for (std::string line; std::getline(lines, line);) {
    if (line == kEach) continue;
    slot(resting.at(std::stoul(line)), std::string(detail::kCount));
  }
}

NamedTensors AdamW::fitted(NamedTensors checkpoint, const NamedTensors& own) const {
  const auto find = [](const NamedTensors& tensors, const std::string& name) {
    return std::ranges::find(tensors, name, &NamedTensors::value_type::first);
  };
  const auto shared = find(checkpoint, steps_.name());
  if (counts_each_ && shared != checkpoint.end()) {
    const Tensor steps = shared->second;
    checkpoint.erase(shared);
    std::set<std::string> present, with_state;
    for (const auto& [name, tensor] : checkpoint) {
      present.insert(name);
      with_state.insert(owner_of(name));
    }
    for (const auto& [name, tensor] : own) {
      const std::string owner = owner_of(name);
      if (owner.empty() || name.substr(owner.size() + 1) != detail::kCount) continue;
      if (!present.contains(name) && with_state.contains(owner)) {
        checkpoint.emplace_back(name, steps);
      }
    }
  }
  return Optimizer::fitted(std::move(checkpoint), own);
}

}  // namespace aclgrad
