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

void callbacks(Trainer& trainer, const data::Batches& batches, const data::Dataset& unseen) {
  // block 4
}

void averages(const Network& model, const LossFunction& loss, Optimizer& optimizer,
              const data::Batches& batches, const data::Dataset& unseen) {
  // block 5
}

void tables(const Sequential& network) {
  // block 6
}

void pictures(Trainer& trainer) {
  // block 7
}

struct Translation : Module {
  Linear first{child("first"), 8, 4}, second{child("second"), 8, 4};
  Value operator()(const Value& a, const Value& b) const { return first(a) + second(b); }
};

void parts(const Translation& model, const Sequential& coder, const Tensor& source,
           const Tensor& begun, const Tensor& target, Optimizer& optimizer) {
  // block 8
}

void transforms(const data::Dataset& images) {
  // block 9
  // block 10
}

void looks(Trainer& trainer, const data::Dataset& batch) {
  // block 11
}

void less_memory() {
  // block 12
}

void adds_up(const Value& scores, const Value& t, const Value& x, const Value& y, const Value& each,
             const Value& mask, const Value& w) {
  // block 13
}

void a_part(const Network& model, Trainer& trainer, const data::Batches& batches) {
  // block 14
}

void distils(const Network& teacher, const Network& student, Optimizer& optimizer) {
  // block 15
}

void optimizers(std::int64_t step) {
  // block 16
}

void weights(const Network& model) {
  // block 17
  // block 18
}

Value numbers(const Value& text) {
  return text.graph().constant(Tensor::arange(text.shape()[1], 0, 1, DType::int64));
}

void writing(const Tensor& prompt, RandomSequence& random) {
  // block 19
}

Value sixteen_bits(const Sequential& network, const Value& x) {
  // block 20
  return logits;
}

void float16(const Network& model, const LossFunction& loss, Optimizer& optimizer) {
  // block 21
}

void checkpoints(const std::filesystem::path& path, std::int64_t step, data::Position next,
                 const data::Batches& batches, const std::vector<Variable>& state) {
  // block 22
}

void reports(std::int64_t step, std::int64_t steps, double loss, const Results& results,
             const Value& hidden, const report::Heatmap& heatmap) {
  // block 23
}
