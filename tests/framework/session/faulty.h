// SPDX-License-Identifier: Apache-2.0
// Operators that do wrong what only a session with a memory plan, or only a replay, lets them do
// wrong.
#pragma once

#include <memory>
#include <source_location>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclnnop/aclnn_add.h"

namespace aclgrad::faulty {

template <class OpType>
Value record(const Value& x) {
  return Recorder("faulty", {x, x}, std::source_location::current())
      .add(std::make_shared<OpType>(), TensorSpec{x.shape(), x.dtype()});
}

// x + transposed x, of which it says that it could write over x.
struct OverwritingAdd final : AclnnOp {
  mutable std::vector<TensorHandle> transposed;
  std::string_view name() const override { return "faulty"; }
  std::string_view call_name() const override { return "aclnnAdd"; }
  bool may_overwrite(std::size_t, std::size_t) const override { return true; }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    void* address = nullptr;
    if (aclGetRawTensorAddr(call.input(0), &address) != 0) return 1;
    const std::vector<std::int64_t> strides = {1, call.input_spec(0).shape[0]};
    const Shape& shape = call.input_spec(0).shape;
    transposed.emplace_back(shape, call.input_spec(0).dtype, strides, 0, shape, address);
    return aclnnAddGetWorkspaceSize(call.input(0), transposed.back().get(),
                                    call.scalar(1, call.output_spec(0).dtype), call.output(0), size,
                                    executor);
  }
  PhaseTwo phase_two() const override { return aclnnAdd; }
};

// Adds; while a stream records it, adds nothing: the output keeps what was there.
inline aclnnStatus add_unless_recorded(void* workspace, std::uint64_t size, aclOpExecutor* executor,
                                       aclrtStream stream) {
  auto status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  if (aclmdlRICaptureGetInfo(stream, &status, nullptr) != 0) return 1;
  if (status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE) return 0;
  return aclnnAdd(workspace, size, executor, stream);
}

struct UnrecordedAdd final : AclnnOp {
  std::string_view name() const override { return "faulty"; }
  std::string_view call_name() const override { return "aclnnAdd"; }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    return aclnnAddGetWorkspaceSize(call.input(0), call.input(1),
                                    call.scalar(1, call.output_spec(0).dtype), call.output(0), size,
                                    executor);
  }
  PhaseTwo phase_two() const override { return add_unless_recorded; }
};

template <class OpType>
struct Faulty {
  Faulty() {
    x = graph.input("x", {160, 160});
    w = graph.parameter("w", init::normal({160, 160}, 1, 0.1));
    Value h = matmul(x, w);
    for (int i = 0; i < 5; ++i) h = selu(h + x);
    culprit = record<OpType>(h * 0.5);
    h = culprit;
    for (int i = 0; i < 7; ++i) h = elu(h + x);
    loss = mean(h);
    updated = inplace_add(w, h, 0.1);
  }
  Difference find() { return bisect(graph, {loss, Update{{updated}}}, {{x, feed}}); }
  Graph graph;
  Value x, w, culprit, loss, updated;
  Tensor feed = init::normal({160, 160}, 2);
};

}  // namespace aclgrad::faulty
