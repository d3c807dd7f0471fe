// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/diagnostics/overlap.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ops/runtime/diagnostics/blocks.h"
#include "ops/runtime/diagnostics/report.h"

namespace aclgrad::runtime::diagnostics {
namespace {

// Sizes and strides without dimensions of size 1, and with those joined that lie in one line.
std::vector<std::pair<int64_t, int64_t>> axes_of(const aclgradTaskOperand& view) {
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (size_t d = 0; d < view.rank; ++d) {
    const int64_t size = view.shape[d];
    const int64_t stride = view.strides[d];
    if (size == 1) continue;
    if (!axes.empty() && axes.back().second == size * stride) {
      axes.back() = {axes.back().first * size, stride};
    } else {
      axes.emplace_back(size, stride);
    }
  }
  return axes;
}

void report_overlap(const TaskNote& note, const Access& written, const Access& other,
                    const Bytes& common) {
  const std::string sentence =
      fmt::format("{} writes memory of argument {}, and is not exactly the same view",
                  note.describe(written), other.argument);
  const std::string queued =
      fmt::format("  {} was queued\n{}", note.name, note.queued.frames("    "));
  report(kMemory,
         fmt::format("{}.\n{}  Both touch {}.\n  It is run, and what it computes is undefined.\n"
                     "  To fix: give the output memory of its own, or make it the same view of the "
                     "input.\n",
                     sentence, queued, describe_bytes(common)),
         sentence + queued);
}

}  // namespace

bool is_same_view(const aclgradTaskOperand& a, const aclgradTaskOperand& b) {
  return a.address == b.address && a.element_size == b.element_size && axes_of(a) == axes_of(b);
}

void check_overlap(const TaskNote& note, std::span<const aclgradTaskOperand> operands) noexcept {
  quietly([&] {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].is_written == 0) continue;
      for (size_t j = 0; j < operands.size(); ++j) {
        const bool both_written = operands[j].is_written != 0;
        if (j == i || (both_written && j < i)) continue;
        if (!both_written && is_same_view(operands[i], operands[j])) continue;
        const Bytes common = first_common(note.accesses[i].region, note.accesses[j].region);
        if (!common.empty()) report_overlap(note, note.accesses[i], note.accesses[j], common);
      }
    }
  });
}

}  // namespace aclgrad::runtime::diagnostics
