// SPDX-License-Identifier: Apache-2.0
// Of aclgrad/ops/index.h: embeddings of bags.
#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_embedding_bag.h"
#include "graph/ops/index_helpers.h"

namespace aclgrad {
namespace {

void check_bags(const Recorder& record, bool has_weights, const EmbeddingBagOptions& options) {
  const Shape& weight = record.input(0).shape();
  const Shape& offsets = record.input(2).shape();
  record.require_floating(0);
  record.require_shape(weight.rank() == 2, "the weight must be a matrix, got {}", weight);
  for (const std::size_t input : {1, 2}) {
    detail::require_index(record, input);
    record.require_shape(record.input(input).shape().rank() == 1,
                         "{} must have one dimension, got {}; indices without offsets have two",
                         record.input(input), record.input(input).shape());
  }
  record.require_shape(!options.include_last_offset || offsets.numel() != 0,
                       "offsets must have the last offset for include_last_offset, got none");
  if (has_weights) {
    record.require_same_dtype(3, 0);
    record.require_same_shape(3, 1);
    record.require_value(options.mode == BagMode::sum,
                         "per_sample_weights are of mode sum, got {}: leave them out",
                         to_string(options.mode));
  }
  detail::padding_row(record, options.padding_idx, weight[0]);
}

}  // namespace

const char* to_string(BagMode mode) {
  constexpr const char* kNames[] = {"sum", "mean", "max"};
  return kNames[static_cast<std::size_t>(mode)];
}

Value embedding_bag(Operand weight, const Value& indices, const Value& offsets,
                    const EmbeddingBagOptions& options) {
  const RecordScope scope(weight);
  const bool has_weights = options.per_sample_weights.id() >= 0;
  if (offsets.id() < 0) {
    const Shape& shape = indices.shape();
    const Recorder record("embedding_bag", {weight, indices}, weight.where);
    record.require_shape(
        shape.rank() == 2 && !options.include_last_offset,
        "indices {} need offsets, unless they are [bags, length] without include_last_offset",
        shape);
    const std::int64_t length = shape[1];
    Tensor starts = Tensor::zeros({shape[0]}, DType::int64);
    for (std::int64_t b = 0; b < shape[0]; ++b) starts.set(b, static_cast<double>(b * length));
    EmbeddingBagOptions of_line = options;
    if (has_weights) {
      const Recorder weights("embedding_bag", {options.per_sample_weights, indices}, weight.where);
      weights.require_same_shape(0, 1);
      of_line.per_sample_weights = reshape(options.per_sample_weights, {shape.numel()});
    }
    return embedding_bag(weight, reshape(indices, {shape.numel()}),
                         indices.graph().constant(std::move(starts)), of_line);
  }
  std::vector<Value> inputs = {weight, indices, offsets};
  if (has_weights) inputs.push_back(options.per_sample_weights);
  Recorder record("embedding_bag", inputs, weight.where);
  check_bags(record, has_weights, options);
  const std::int64_t bags = offsets.shape()[0] - (options.include_last_offset ? 1 : 0);
  const Shape rows{bags, weight.shape()[1]};
  return record
      .add<EmbeddingBagOp>(
          {options.mode, has_weights, options.include_last_offset,
           options.padding_idx.value_or(-1)},
          {TensorSpec{rows, weight.dtype()}, TensorSpec{indices.shape(), DType::int64},
           TensorSpec{Shape{bags}, DType::int64},
           TensorSpec{options.mode == BagMode::max ? rows : Shape{bags}, DType::int64}})
      .front();
}

std::string EmbeddingBagAttributes::text() const {
  return fmt::format("mode={}{}{}{}", to_string(mode), has_weights ? ", per_sample_weights" : "",
                     include_last_offset ? ", include_last_offset" : "",
                     padding_idx < 0 ? "" : fmt::format(", padding_idx={}", padding_idx));
}

namespace calls {

const Declaration<EmbeddingBagAttributes> embedding_bag = {
    "embedding_bag", ACLGRAD_C(aclnnEmbeddingBag), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      aclTensor* const weights = values.has_weights ? call.input(3) : nullptr;
      return aclnnEmbeddingBagGetWorkspaceSize(call.input(0), call.input(1), call.input(2), false,
                                               static_cast<std::int64_t>(values.mode), false,
                                               weights, values.include_last_offset,
                                               values.padding_idx, call.output(0), call.output(1),
                                               call.output(2), call.output(3), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
