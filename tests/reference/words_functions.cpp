// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/words.h"

namespace aclgrad::reference {

Section functions() {
  return {{"Functions", "函数"},
          {
              {{"aclnnExp", "aclnnInplaceExp"}, {"eˣ", "eˣ"}},
              {{"aclnnLog", "aclnnInplaceLog"}, {"ln x", "ln x"}},
              {{"aclnnSqrt", "aclnnInplaceSqrt"}, {"√x", "√x"}},
              {{"aclnnRsqrt", "aclnnInplaceRsqrt"}, {"1/√x", "1/√x"}},
              {{"aclnnReciprocal", "aclnnInplaceReciprocal"}, {"1/x", "1/x"}},
              {{"aclnnSin", "aclnnInplaceSin"}, {"sin x", "sin x"}},
              {{"aclnnCos", "aclnnInplaceCos"}, {"cos x", "cos x"}},
              {{"aclnnTanh", "aclnnInplaceTanh"}, {"tanh x", "tanh x"}},
              {{"aclnnSigmoid", "aclnnInplaceSigmoid"}, {"1/(1 + e⁻ˣ)", "1/(1 + e⁻ˣ)"}},
              {{"aclnnErf", "aclnnInplaceErf"}, {"erf x", "erf x"}},
              {{"aclnnTanhBackward"},
               {"g·(1 − y²); y is the forward's output", "g·(1 − y²)；y 是正向的输出"}},
              {{"aclnnSigmoidBackward"},
               {"g·y·(1 − y); y is the forward's output", "g·y·(1 − y)；y 是正向的输出"}},
          }};
}

}  // namespace aclgrad::reference
