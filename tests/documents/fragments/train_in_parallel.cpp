// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>

using namespace aclgrad;

void whole_batches(const data::Dataset& digits, Graph& graph, const Value& loss,
                   const Sequential& network, AdamW& optimizer) {
  // block 1
}

void micro_batches(const data::Dataset& digits, const Communicator& communicator,
                   DataParallel& parallel, Graph& graph, const Sequential& network,
                   const std::vector<Value>& x, const std::vector<Value>& labels) {
  // block 2
}

void states(const Communicator& communicator, Graph& graph, const Value& loss,
            const Sequential& network, AdamW& optimizer) {
  // block 3
}
