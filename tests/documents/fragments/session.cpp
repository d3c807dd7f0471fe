// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>

using namespace aclgrad;

void run(Graph& graph, const Value& loss, AdamW& optimizer, const Gradients& gradients,
         const Value& x, const Tensor& batch, const Value& t, const Tensor& labels) {
  // block 1
}
