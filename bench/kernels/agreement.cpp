// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/kernels/memory.h"
#include "bench/kernels/ours.h"
#include "bench/peers/peers.h"

namespace aclgrad::bench {
namespace {

// The approximations of the peers differ by less; a wrong formula or layout by much more.
constexpr float kTolerance = 1e-3f;

// oneDNN has no SELU.
bool is_stand_in(const Contender& contender, const Operation& operation) {
  return contender.name() == "oneDNN" && operation.name.starts_with("Selu");
}

bool can_be_checked(const Cell& cell) {
  return cell.dtype == ACL_FLOAT && cell.layout == Layout::contiguous &&
         std::ranges::none_of(cell.operation->outputs, [](const Operand& out) {
           return out.aliases || out.dtype.value_or(ACL_FLOAT) != ACL_FLOAT;
         });
}

std::vector<float> taken(const Problem& problem) {
  std::vector<float> values;
  for (const View& view : problem.outputs) {
    auto* data = static_cast<float*>(view.data);
    values.insert(values.end(), data, data + view.count());
    std::fill_n(data, view.count(), NAN);
  }
  return values;
}

bool near(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::fabs(x - y) <= kTolerance * std::max(1.0f, std::fabs(x));
  });
}

}  // namespace

std::vector<std::string> disagreements(const std::vector<Cell>& cells) {
  Memory memory;
  std::vector<std::unique_ptr<Contender>> peers;
  peers.push_back(onednn());
  if (auto peer = torch()) peers.push_back(std::move(peer));
  const auto us = ours(nullptr);
  std::vector<std::string> found;
  for (const Cell& cell : cells) {
    if (!can_be_checked(cell)) continue;
    const Problem problem = memory.problem(cell);
    us->prepare(problem);
    const std::vector<float> expected = taken(problem);
    for (const auto& peer : peers) {
      if (is_stand_in(*peer, *cell.operation) || !peer->prepare(problem)) continue;
      if (!near(expected, taken(problem))) {
        found.push_back(fmt::format("{} and we differ: {}", peer->name(), cell.name()));
      }
    }
  }
  return found;
}

}  // namespace aclgrad::bench
