// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>

using namespace aclgrad;

void any_module(const Sequential& model, const LossFunction& loss, Optimizer& optimizer,
                const data::Batches& batches, const data::Dataset& unseen) {
  // block 1
}

void whole_batches(const data::Dataset& digits, Graph& graph, const Value& loss,
                   const Sequential& network, AdamW& optimizer) {
  // block 2
}

void threads(const std::function<void(const Communicator&)>& body) {
  // block 3
}

void micro_batches(const data::Dataset& digits, const Communicator& communicator,
                   DataParallel& parallel, Graph& graph, const Sequential& network,
                   const std::vector<Value>& x, const std::vector<Value>& labels) {
  // block 4
}

void states(const Communicator& communicator, const Sequential& model, const LossFunction& loss,
            Optimizer& optimizer) {
  // block 5
}
