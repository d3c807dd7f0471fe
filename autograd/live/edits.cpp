// SPDX-License-Identifier: Apache-2.0
#include "live/edits.h"

#include <algorithm>

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

}  // namespace aclgrad::live
