// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/matmul.h"

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// beta c + alpha product.
Term combined(const Term& c, const Term& product, const AddmmAttributes& a) {
  return a.beta == 0 ? product * a.alpha : product * a.alpha + c * a.beta;
}

}  // namespace

void add_products(Table& table) {
  table.same<MatmulOp>("MatMul");
  table.same<BmmOp>("MatMul");
  table.add<AddmmOp>([](auto& a, Call& call) {
    const Term c = call.input(0);
    return op("Gemm", {call.input(1), call.input(2), c}, {{"alpha", a.alpha}, {"beta", a.beta}});
  });
  table.add<BaddbmmOp>([](auto& a, Call& call) {
    return combined(call.input(0), op("MatMul", {call.input(1), call.input(2)}), a);
  });
}

}  // namespace aclgrad::onnx::saving
