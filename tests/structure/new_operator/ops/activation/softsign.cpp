// SPDX-License-Identifier: Apache-2.0
// aclnnSoftsign, aclnnSoftsignBackward.
#include "aclnnop/aclnn_softsign.h"
#include "aclnnop/aclnn_softsign_backward.h"
#include "ops/activation/activation_kernel.h"
#include "ops/arithmetic/arithmetic_rules.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

const OperatorSpec kSoftsign{
    "aclnnSoftsign",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kFloats), same_dtype(1, 0), same_shape(1, 0), max_rank(0)}};

const OperatorSpec kSoftsignBackward{
    "aclnnSoftsignBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({0, 1, 2}), dtype_in(0, kFloats), same_dtype(1, 0), same_dtype(2, 0),
     same_shape(1, 0), same_shape(2, 0), max_rank(0)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnSoftsign, 2, kSoftsign, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, activation_kernel(Activation::kSoftsign));
})
ACLGRAD_OPERATOR(aclnnSoftsignBackward, 3, kSoftsignBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, activation_kernel(Activation::kSoftsignBackward));
})
