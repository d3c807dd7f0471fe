// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>

using namespace aclgrad;

void page_of(const Graph& graph, const Gradients& gradients, const Value& loss,
             const Update& update, const Value& x, const Tensor& batch, const Value& t,
             const Tensor& labels) {
  // block 1
}

void page_of_a_run(VizPage& page, SessionOptions& options) {
  // block 2
}
