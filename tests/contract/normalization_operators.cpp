// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tests/contract/operators.h"

namespace aclgrad::contract {

std::vector<Operator> normalization_operators() {
  const TensorSpec one{{2, 3}};
  const TensorSpec three{{2, 3}, 3};
  const TensorSpec vector{{3}};
  const TensorSpec no_vector{{3}, 1, std::nullopt, true};
  const TensorSpec mean{{2, 1}};
  const TensorSpec rstd{{2, 1}, 0.5};
  const TensorSpec no_numbers{{2, 1}, 1, std::nullopt, true};
  const SizesSpec sizes{{3}};
  constexpr int64_t kLastDim = -1;
  const std::vector<aclDataType> floats = {ACL_FLOAT, ACL_FLOAT16};
  const std::vector<aclDataType> with_double = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
  return {
      describe<decltype(aclnnSoftmaxGetWorkspaceSize)>("aclnnSoftmax", {three, kLastDim, one}, 2,
                                                       1.0 / 3, with_double),
      describe<decltype(aclnnSoftmaxBackwardGetWorkspaceSize)>(
          "aclnnSoftmaxBackward", {one, one, kLastDim, one}, 3, -2, with_double),
      describe<decltype(aclnnLayerNormGetWorkspaceSize)>(
          "aclnnLayerNorm", {three, sizes, no_vector, no_vector, 0.25, one, no_numbers, no_numbers},
          5, 0, floats),
      describe<decltype(aclnnLayerNormBackwardGetWorkspaceSize)>(
          "aclnnLayerNormBackward",
          {one, three, sizes, mean, rstd, no_vector, no_vector, BoolsSpec{{1, 1, 1}}, one, vector,
           vector},
          8, -0.5, floats),
  };
}

}  // namespace aclgrad::contract
