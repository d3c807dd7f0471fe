// SPDX-License-Identifier: Apache-2.0
// The order of checks of SELU, ELU and Hardswish.
#include "tests/ops/operators/activations/checks.h"

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad::testing {
namespace {

const Shape kShape{2, 3};
const Shape kOther{3, 2};

CallArguments call_with(std::initializer_list<const char*> tensors) {
  CallArguments call;
  for (const char* name : tensors) call.set_shape(name, kShape);
  return call;
}

CallArguments elu_call(std::initializer_list<const char*> tensors) {
  CallArguments call = call_with(tensors);
  for (const char* name : {"alpha", "scale", "inputScale"}) call.scalars[name] = {};
  return call;
}

// Tensors that must agree with each other in shape must also grow together.
Violation rank_of_all(std::initializer_list<const char*> names) {
  return too_many_dimensions({names.begin(), names.end()}, kShape);
}

TEST_F(Checks, Selu) {
  check({"aclnnSelu",
         call_with({"self", "out"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnSeluGetWorkspaceSize(o.tensor("self"), o.tensor("out"), size, executor);
         },
         {null_tensor("self"), null_tensor("out"), unlisted_dtype("self"), unlisted_dtype("out"),
          unlike_shape("out", "self", kOther)}});
}

TEST_F(Checks, InplaceSelu) {
  check({"aclnnInplaceSelu",
         call_with({"selfRef"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnInplaceSeluGetWorkspaceSize(o.tensor("selfRef"), size, executor);
         },
         {null_tensor("selfRef"), unlisted_dtype("selfRef")}});
}

TEST_F(Checks, SeluBackward) {
  const Violation all_unlisted{"dtype not listed",
                               [](CallArguments& call) {
                                 for (auto& [name, spec] : call.tensors) spec.dtype = ACL_INT64;
                               },
                               161002,
                               {"gradOutput", "DT_INT64", "not implemented"}};
  check({"aclnnSeluBackward",
         call_with({"gradOutput", "result", "gradInput"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnSeluBackwardGetWorkspaceSize(o.tensor("gradOutput"), o.tensor("result"),
                                                    o.tensor("gradInput"), size, executor);
         },
         {null_tensor("gradOutput"), null_tensor("result"), null_tensor("gradInput"),
          other_dtype("result", "gradOutput"), other_dtype("gradInput", "gradOutput"), all_unlisted,
          unlike_shape("result", "gradOutput", kOther),
          unlike_shape("gradInput", "gradOutput", kOther)}});
}

TEST_F(Checks, Elu) {
  const Violation integer_out{"out cannot hold the result",
                              [](CallArguments& call) { call.set_dtype("out", ACL_INT32); },
                              161002,
                              {"self", "out", "DT_INT32", "cannot be cast"}};
  check({"aclnnElu",
         elu_call({"self", "out"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnEluGetWorkspaceSize(o.tensor("self"), o.scalar("alpha"), o.scalar("scale"),
                                           o.scalar("inputScale"), o.tensor("out"), size, executor);
         },
         {null_tensor("self"), null_scalar("alpha"), null_scalar("scale"),
          null_scalar("inputScale"), null_tensor("out"), unlisted_dtype("self"),
          complex_scalar("scale"), complex_scalar("alpha"), complex_scalar("inputScale"),
          integer_out, unlike_shape("out", "self", kOther), rank_of_all({"self", "out"})}});
}

TEST_F(Checks, InplaceElu) {
  check({"aclnnInplaceElu",
         elu_call({"selfRef"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnInplaceEluGetWorkspaceSize(o.tensor("selfRef"), o.scalar("alpha"),
                                                  o.scalar("scale"), o.scalar("inputScale"), size,
                                                  executor);
         },
         {null_tensor("selfRef"), null_scalar("alpha"), null_scalar("scale"),
          null_scalar("inputScale"), unlisted_dtype("selfRef"), complex_scalar("scale"),
          complex_scalar("alpha"), complex_scalar("inputScale"), rank_of_all({"selfRef"})}});
}

CheckTable elu_backward_table() {
  CallArguments valid = elu_call({"gradOutput", "selfOrResult", "gradInput"});
  valid.integers["isResult"] = 1;
  const Violation both_unlisted{"dtype not listed",
                                [](CallArguments& call) {
                                  call.set_dtype("gradOutput", ACL_DOUBLE);
                                  call.set_dtype("selfOrResult", ACL_DOUBLE);
                                },
                                161002,
                                {"gradOutput", "DT_DOUBLE", "not implemented"}};
  const Violation integer_out{"gradInput cannot hold the result",
                              [](CallArguments& call) { call.set_dtype("gradInput", ACL_BOOL); },
                              161002,
                              {"gradOutput", "gradInput", "DT_BOOL", "cannot be cast"}};
  const Violation negative_alpha{"alpha",
                                 [](CallArguments& call) { call.scalars["alpha"].value = -0.5f; },
                                 161002,
                                 {"alpha", "negative", "isResult"}};
  return {"aclnnEluBackward",
          valid,
          [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
            return aclnnEluBackwardGetWorkspaceSize(
                o.tensor("gradOutput"), o.scalar("alpha"), o.scalar("scale"),
                o.scalar("inputScale"), o.integer("isResult") != 0, o.tensor("selfOrResult"),
                o.tensor("gradInput"), size, executor);
          },
          {null_tensor("gradOutput"), null_scalar("alpha"), null_scalar("scale"),
           null_scalar("inputScale"), null_tensor("selfOrResult"), null_tensor("gradInput"),
           other_dtype("selfOrResult", "gradOutput"), both_unlisted, complex_scalar("alpha"),
           complex_scalar("scale"), complex_scalar("inputScale"), integer_out,
           unlike_shape("selfOrResult", "gradOutput", kOther),
           unlike_shape("gradInput", "gradOutput", kOther),
           rank_of_all({"gradOutput", "selfOrResult", "gradInput"}), negative_alpha}};
}

TEST_F(Checks, EluBackward) { check(elu_backward_table()); }

TEST_F(Checks, EluBackwardTakesNegativeAlphaOnlyForInputs) {
  const Array tensor(ACL_FLOAT, {2});
  const Array empty(ACL_FLOAT, {0});
  const Scalar one(1.0f);
  const auto status = [&](float value, bool is_result, const Array& each) {
    const Scalar alpha(value);
    return plan(aclnnEluBackwardGetWorkspaceSize, each.tensor(), alpha.get(), one.get(), one.get(),
                is_result, each.tensor(), each.tensor())
        .status;
  };
  EXPECT_EQ(status(-1, true, tensor), 161002);
  EXPECT_EQ(status(-1, false, tensor), 0);
  EXPECT_EQ(status(-0.0f, true, tensor), 0);
  EXPECT_EQ(status(std::numeric_limits<float>::quiet_NaN(), true, tensor), 0);
  EXPECT_EQ(status(-1, true, empty), 161002) << "also for empty tensors";
}

TEST_F(Checks, Hardswish) {
  check({"aclnnHardswish",
         call_with({"self", "out"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnHardswishGetWorkspaceSize(o.tensor("self"), o.tensor("out"), size, executor);
         },
         {null_tensor("self"), null_tensor("out"), unlisted_dtype("self"), unlisted_dtype("out"),
          unlike_shape("out", "self", kOther)}});
}

TEST_F(Checks, InplaceHardswish) {
  check({"aclnnInplaceHardswish",
         call_with({"self"}),
         [](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
           return aclnnInplaceHardswishGetWorkspaceSize(o.tensor("self"), size, executor);
         },
         {null_tensor("self"), unlisted_dtype("self")}});
}

// The two versions look at the dtypes in another order.
template <class PhaseOne>
CheckTable hardswish_backward_table(const char* name, PhaseOne phase_one, const char* first_dtype,
                                    const char* second_dtype) {
  return {
      name,
      call_with({"gradOutput", "self", "out"}),
      [=](CallObjects& o, uint64_t* size, aclOpExecutor** executor) {
        return phase_one(o.tensor("gradOutput"), o.tensor("self"), o.tensor("out"), size, executor);
      },
      {null_tensor("gradOutput"), null_tensor("self"), null_tensor("out"),
       unlisted_dtype(first_dtype), unlisted_dtype(second_dtype), other_dtype("gradOutput", "self"),
       other_dtype("out", "self"), rank_of_all({"gradOutput"}), rank_of_all({"self"}),
       unlike_shape("gradOutput", "self", kOther), unlike_shape("out", "self", kOther)}};
}

TEST_F(Checks, HardswishBackward) {
  check(hardswish_backward_table("aclnnHardswishBackward", aclnnHardswishBackwardGetWorkspaceSize,
                                 "self", "gradOutput"));
}

TEST_F(Checks, HardswishBackwardV2) {
  check(hardswish_backward_table("aclnnHardswishBackwardV2",
                                 aclnnHardswishBackwardV2GetWorkspaceSize, "gradOutput", "self"));
}

}  // namespace
}  // namespace aclgrad::testing
