// SPDX-License-Identifier: Apache-2.0
// aclnnEmbedding, aclnnEmbeddingDenseBackward.
#include "aclnnop/aclnn_embedding.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/gather_kernel.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::embedding {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kWeight, kIndices, kOut };

Dims rows_shape(const Arguments& arguments) {
  Dims shape = arguments.shape(kIndices);
  shape.push_back(arguments.shape(kWeight)[1]);
  return shape;
}

const OperatorSpec kSpec{
    "aclnnEmbedding",
    {input("weight"), input("indices"), output("out")},
    Rules{not_null({kWeight, kIndices, kOut}), dtype_in(kWeight, kNumbersAndBool),
          same_dtype(kOut, kWeight), dtype_in(kIndices, {ACL_INT32, ACL_INT64}),
          min_rank(kWeight, 2), max_rank(kWeight, 2), max_rank({kIndices, kOut}),
          has_shape_of(kOut, rows_shape)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const size_t rank = arguments.shape(kOut).size();
  Selection selection{whole(arguments, kOut),      whole(arguments, kWeight),
                      whole(arguments, kIndices),  arguments.strides(kWeight)[0],
                      arguments.shape(kWeight)[0],
                      /*counts_from_end=*/false};
  const int64_t column = std::exchange(selection.self.strides, Dims::filled(rank, 0))[1];
  selection.self.strides[rank - 1] = column;
  selection.index.strides.push_back(0);
  return plan_selection(arguments, kOut, selection);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGrad, kIndices, kNumWeights, kPaddingIdx, kScaleGradByFreq, kOut };

Rule one_row_for_each_index() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& grad = arguments.shape(kGrad);
    int64_t rows = 0;
    int64_t indices = 0;
    const bool is_counted = count_fits(Dims(grad.data(), grad.size() - 1), rows) &&
                            count_fits(arguments.shape(kIndices), indices);
    if (grad[grad.size() - 1] == 0 || (is_counted && rows == indices)) return std::nullopt;
    return fmt::format("tensor {} {} must have as many rows as {} {} has elements.",
                       arguments.name(kGrad), to_string(grad), arguments.name(kIndices),
                       to_string(arguments.shape(kIndices)));
  });
}

const OperatorSpec kSpec{
    "aclnnEmbeddingDenseBackward",
    {input("grad"), input("indices"), attribute("numWeights"), attribute("paddingIdx"),
     attribute("scaleGradByFreq"), output("out")},
    Rules{not_null({kGrad, kIndices, kOut}), dtype_in(kGrad, kFloats),
          dtype_in(kIndices, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32,
                              ACL_INT64, ACL_UINT8, ACL_BOOL}),
          dtype_in(kOut, kFloats), not_0d(kGrad), max_rank({kGrad, kIndices, kOut}),
          one_row_for_each_index(),
          has_shape_of(
              kOut,
              [](const Arguments& arguments) {
                const Dims& grad = arguments.shape(kGrad);
                return Dims{arguments.integer(kNumWeights), grad[grad.size() - 1]};
              },
              given({kNumWeights})),
          no_private_format(kGrad), no_private_format(kIndices), no_private_format(kOut)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGrad) || arguments.empty(kIndices)) {
    return elementwise(arguments, {kOut}, {}, constant(arguments.dtype(kOut), {}));
  }
  const size_t columns = arguments.shape(kGrad).size() - 1;
  // All dtypes are numbers here, BOOL and UINT8 too.
  IndexTerm row(arguments, kIndices, Elements(arguments, kIndices), arguments.shape(kOut)[0], 1);
  row.is_mask = false;
  row.counts_from_end = false;
  return plan_placed_sum(index_places(arguments.shape(kIndices), {row}),
                         {.terms = Slices(arguments, kGrad, dimensions(columns, 1)),
                          .self = std::nullopt,
                          .out = Slices(arguments, kOut, dimensions(1, 1)),
                          .zero = arguments.integer(kPaddingIdx),
                          .is_mean = arguments.flag(kScaleGradByFreq)});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnEmbedding, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnEmbeddingDenseBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::embedding
