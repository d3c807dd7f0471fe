// SPDX-License-Identifier: Apache-2.0
#include "live/edits.h"

#include <algorithm>
#include <cmath>

#include "aclgrad/gradcheck/numbers.h"
#include "session/executable.h"

namespace aclgrad::live {

void Edits::set(const Edit& edit) {
  std::erase_if(edits_, [&](const Edit& known) {
    return known.value == edit.value && known.index == edit.index;
  });
  edits_.push_back(edit);
}

void Edits::release(ValueId value) {
  std::erase_if(edits_, [&](const Edit& known) { return known.value == value; });
}

bool Edits::concerns(ValueId value) const {
  return std::ranges::find(edits_, value, &Edit::value) != edits_.end();
}

bool Edits::apply(ValueId value, Tensor& tensor) const {
  bool changed = false;
  for (const Edit& edit : edits_) {
    if (edit.value != value) continue;
    tensor.set(edit.index, edit.to);
    changed = true;
  }
  return changed;
}

// All constants: one whose edit was released is to be as it was.
void Interventions::begin_run(detail::Executable& executable, std::span<const Feed>) {
  for (const ValueId constant : executable.program().constants) {
    Tensor tensor = static_cast<const ConstantOp&>(*graph_.value(constant).node().op).tensor;
    edits_.apply(constant, tensor);
    executable.memory().upload(constant, tensor);
  }
}

void Interventions::after_node(const detail::NodeRun& run) {
  for (const ValueId output : run.node.outputs) {
    if (!edits_.concerns(output)) continue;
    Tensor tensor = run.executable.memory().download(output);
    edits_.apply(output, tensor);
    run.executable.memory().upload(output, tensor);
  }
}

double Rounding::next() {
  state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
  return 2 * static_cast<double>(state_ >> 11) * 0x1p-53 - 1;
}

void Rounding::after_node(const detail::NodeRun& run) {
  for (const ValueId output : run.node.outputs) {
    Tensor tensor = run.executable.memory().download(output);
    if (!is_floating(tensor.dtype())) continue;
    bool changed = false;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double value = tensor.get(i);
      if (value == 0 || !std::isfinite(value)) continue;  // masks and padding are exact
      const double off =
          value + next() * 1.5 * static_cast<double>(gradcheck::ulp(value, tensor.dtype()));
      if (!std::isfinite(off) || off == value) continue;
      tensor.set(i, off);
      changed = true;
    }
    if (changed) run.executable.memory().upload(output, tensor);
  }
}

}  // namespace aclgrad::live
