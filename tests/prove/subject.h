// SPDX-License-Identifier: Apache-2.0
// What is proven: functions of one number as the library computes them, with an exact reference.
#ifndef ACLGRAD_TESTS_PROVE_SUBJECT_H_
#define ACLGRAD_TESTS_PROVE_SUBJECT_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"

namespace aclgrad::prove {

// Below this size of x the reference knows only on which side of x/2 or 1/2 the exact value lies,
// which is all that rounding to 16 bits or to FLOAT needs.
inline constexpr long double kTiny = 0x1p-40L;

// A forward, or a backward as a function of the tensor that chooses the branch; the gradient is a
// second argument then.
struct Subject {
  std::string name;  // "aclnnGeGluV3Backward erf"
  bool has_gradient = false;
  // Results that are quotients of short numbers: the reference is exact even where it is a tie.
  bool is_rational = false;
  long double divisor = 1;  // of what precise() gives
  // Phase one for tensors of n elements each: x, then the gradient (ones when has_gradient is
  // false), then the result; `ones` for whatever else the operator wants.
  std::function<aclnnStatus(aclTensor* x, aclTensor* gradient, aclTensor* ones, aclTensor* result,
                            aclTensor* unused, uint64_t* size, aclOpExecutor** executor)>
      phase_one;
  aclnnStatus (*phase_two)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  // GEGLU's tensor holds both halves: x then lies behind as many ones.
  bool x_behind_ones = false;
  bool result_behind = false;  // and so does the result, in a tensor twice as long

  // The function, or its derivative: in double, good to about 1e-14, and, times `divisor`, in long
  // double, good to about 1e-18.
  double (*quick)(double x);
  long double (*precise)(long double x);
};

const std::vector<Subject>& subjects();

}  // namespace aclgrad::prove

#endif  // ACLGRAD_TESTS_PROVE_SUBJECT_H_
