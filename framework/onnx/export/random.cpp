// SPDX-License-Identifier: Apache-2.0
// Dropout in training: a runtime draws masks of its own in every run.
#include "aclgrad/ops/random.h"

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {

Term dropped(const Term& x, double p) {
  if (p >= 1) return x * 0;  // ONNX's ratio is below 1
  return op("Dropout",
            {x, constant(x, Tensor::scalar(p)), constant(x, Tensor::scalar(1, DType::boolean))});
}

void add_random(Table& table) {
  table
      .add<DropoutOp>(
          [](auto& a, Call& call) { return call.narrowed(dropped(call.usual(0), a.p)); })
      .reads = {0};
}

}  // namespace aclgrad::onnx::saving
