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
              {{"aclnnRelu", "aclnnInplaceRelu"}, {"max(x, 0)", "max(x, 0)"}},
              {{"aclnnThresholdBackward"},
               {"g for x > threshold, 0 otherwise", "x > threshold 时为 g，否则为 0"}},
              {{"aclnnLeakyRelu", "aclnnInplaceLeakyRelu"},
               {"x for x > 0, negativeSlope·x otherwise", "x > 0 时为 x，否则为 negativeSlope·x"}},
              {{"aclnnLeakyReluBackward"},
               {"g for x > 0, negativeSlope·g otherwise", "x > 0 时为 g，否则为 negativeSlope·g"}},
              {{"aclnnSoftplus"},
               {"x for beta·x > threshold, ln(1 + e^(beta·x))/beta otherwise",
                "beta·x > threshold 时为 x，否则为 ln(1 + e^(beta·x))/beta"}},
              {{"aclnnSoftplusBackward"},
               {"g for beta·x > threshold, g/(1 + e^(−beta·x)) otherwise",
                "beta·x > threshold 时为 g，否则为 g/(1 + e^(−beta·x))"}},
              {{"aclnnNeg", "aclnnInplaceNeg"}, {"−x", "−x"}},
          }};
}

}  // namespace aclgrad::reference
