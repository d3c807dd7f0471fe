// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>

using namespace aclgrad;

void look(Session& session, const Graph& graph, const Value& loss, const Update& update,
          const Value& x, const Tensor& batch) {
  // block 1
}
