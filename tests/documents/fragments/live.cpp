// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <aclgrad/live.h>
#include <fmt/format.h>

using namespace aclgrad;

data::Dataset batch_of(std::int64_t step);

void serve(const Module& model, const LossFunction& loss, Optimizer& optimizer,
           const data::Dataset& batch) {
  // block 1
}

void watch(Trainer& trainer, const data::Batches& batches, live::Server& server) {
  // block 2
}

// block 3

void choose() {
  // block 4
}
