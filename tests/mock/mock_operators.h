// SPDX-License-Identifier: Apache-2.0
// A mocked operator library: the C functions of a few operators and of executors, defined in the
// test program, where they stand before those of the real libraries, and forwarded to a GoogleMock
// object. Tensors, streams and memory stay real.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

namespace aclgrad::mock {

/// The arguments of aclnnApplyAdamWV2, which are more than a mocked method can have.
struct AdamWCall {
  aclTensor *var, *m, *v, *max_grad_norm;
  const aclTensor *grad, *step;
  float lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize;
};

class Operators {
 public:
  Operators() { current_ = this; }
  ~Operators() { current_ = nullptr; }
  Operators(const Operators&) = delete;
  Operators& operator=(const Operators&) = delete;

  /// The object that the C functions forward to.
  static Operators& current() { return *current_; }

  MOCK_METHOD(aclnnStatus, plan_selu,
              (const aclTensor* self, aclTensor* out, std::uint64_t* size,
               aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_selu_backward,
              (const aclTensor* grad, const aclTensor* result, aclTensor* out, std::uint64_t* size,
               aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_geglu,
              (const aclTensor* self, std::int64_t dim, std::int64_t approximate, bool left,
               aclTensor* out, aclTensor* gelu, std::uint64_t* size, aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_geglu_backward,
              (const aclTensor* grad, const aclTensor* self, const aclTensor* gelu,
               std::int64_t dim, std::int64_t approximate, bool left, aclTensor* out,
               std::uint64_t* size, aclOpExecutor** executor));

  MOCK_METHOD(aclnnStatus, plan_elu,
              (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
               const aclScalar* input_scale, aclTensor* out, std::uint64_t* size,
               aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_elu_backward,
              (const aclTensor* grad, const aclScalar* alpha, const aclScalar* scale,
               const aclScalar* input_scale, bool is_result, const aclTensor* self_or_result,
               aclTensor* out, std::uint64_t* size, aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_adam_w,
              (const AdamWCall& call, std::uint64_t* size, aclOpExecutor** executor));
  MOCK_METHOD(aclnnStatus, plan_inplace_add,
              (const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
               std::uint64_t* size, aclOpExecutor** executor));

  /// Phase two of all of them; `name` is the C function's.
  MOCK_METHOD(aclnnStatus, run,
              (const std::string& name, void* workspace, std::uint64_t size,
               aclOpExecutor* executor, aclrtStream stream));

  MOCK_METHOD(aclnnStatus, make_repeatable, (aclOpExecutor * executor));
  MOCK_METHOD(aclnnStatus, destroy, (aclOpExecutor * executor));

 private:
  static inline Operators* current_ = nullptr;
};

}  // namespace aclgrad::mock
