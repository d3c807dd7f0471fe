// SPDX-License-Identifier: Apache-2.0
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

// block 1

void layers() {
  // block 2
}

void train(const Network& model, const data::Batches& batches, const data::Dataset& unseen) {
  // block 3
}

void transforms(const data::Dataset& images) {
  // block 4
}

void a_part(const Network& model, Trainer& trainer, const data::Batches& batches) {
  // block 5
}

void stop(const Network& teacher, const Network& student, const Value& x) {
  // block 6
}

void optimizers(std::int64_t step) {
  // block 7
}

void weights(const Network& model) {
  // block 8
}

Value sixteen_bits(const Sequential& network, const Value& x) {
  // block 9
  return logits;
}

void float16(const Network& model, const LossFunction& loss, Optimizer& optimizer) {
  // block 10
}

void checkpoints(const std::filesystem::path& path, std::int64_t step, data::Position next,
                 const data::Batches& batches, const std::vector<Variable>& state) {
  // block 11
}

void reports(std::int64_t step, std::int64_t steps, double loss, const Results& results,
             const Value& hidden, const report::Heatmap& heatmap) {
  // block 12
}
