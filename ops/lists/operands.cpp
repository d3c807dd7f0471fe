// SPDX-License-Identifier: Apache-2.0
// Functions of several lists, and of lists and scalars: a scalar on the device (...Scalar), on the
// host (...ScalarV2), or one for each member (...ScalarList).
#include "aclnnop/aclnn_foreach_add_list.h"
#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_add_scalar.h"
#include "aclnnop/aclnn_foreach_add_scalar_list.h"
#include "aclnnop/aclnn_foreach_add_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_list.h"
#include "aclnnop/aclnn_foreach_addcdiv_scalar_v2.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_list.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_div_list.h"
#include "aclnnop/aclnn_foreach_div_scalar.h"
#include "aclnnop/aclnn_foreach_div_scalar_list.h"
#include "aclnnop/aclnn_foreach_div_scalar_v2.h"
#include "aclnnop/aclnn_foreach_lerp_list.h"
#include "aclnnop/aclnn_foreach_lerp_scalar.h"
#include "aclnnop/aclnn_foreach_maximum_list.h"
#include "aclnnop/aclnn_foreach_maximum_scalar.h"
#include "aclnnop/aclnn_foreach_maximum_scalar_list.h"
#include "aclnnop/aclnn_foreach_maximum_scalar_v2.h"
#include "aclnnop/aclnn_foreach_minimum_list.h"
#include "aclnnop/aclnn_foreach_minimum_scalar.h"
#include "aclnnop/aclnn_foreach_minimum_scalar_list.h"
#include "aclnnop/aclnn_foreach_minimum_scalar_v2.h"
#include "aclnnop/aclnn_foreach_mul_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar.h"
#include "aclnnop/aclnn_foreach_mul_scalar_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_pow_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar.h"
#include "aclnnop/aclnn_foreach_pow_scalar_and_tensor.h"
#include "aclnnop/aclnn_foreach_pow_scalar_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar_v2.h"
#include "aclnnop/aclnn_foreach_sub_list.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_foreach_sub_scalar.h"
#include "aclnnop/aclnn_foreach_sub_scalar_list.h"
#include "aclnnop/aclnn_foreach_sub_scalar_v2.h"
#include "ops/lists/lists.h"

namespace aclgrad::ops::lists {

// ---- Two lists ----------------------------------------------------------------------------------

ACLGRAD_FOREACH(MulList, Mul, kNumbersOfLists, list("x1"), list("x2"))
ACLGRAD_FOREACH(DivList, Div, kFloats, list("x1"), list("x2"))
ACLGRAD_FOREACH(PowList, PowTensorTensor, kFloats, list("x1"), list("x2"))
ACLGRAD_FOREACH(MaximumList, Maximum, kFloatsAndInt32, list("x1"), list("x2"))
ACLGRAD_FOREACH(MinimumList, Minimum, kFloatsAndInt32, list("x1"), list("x2"))
ACLGRAD_FOREACH(LerpScalar, Lerps, kFloats, list("x1"), list("x2"), number("weight"))
ACLGRAD_FOREACH(LerpList, Lerp, kFloats, list("x1"), list("x2"), list("weights"))
ACLGRAD_FOREACH(AddList, Add, kNumbersOfLists, list("x1"), list("x2"), element("alpha"))
ACLGRAD_FOREACH(AddListV2, Add, kNumbersOfLists, list("x1"), list("x2"), number("alpha"))
ACLGRAD_FOREACH(SubList, Sub, kNumbersOfLists, list("x1"), list("x2"), element("alpha"))
ACLGRAD_FOREACH(SubListV2, Sub, kNumbersOfLists, list("x1"), list("x2"), number("alpha"))

// ---- Sums and differences with scalars ----------------------------------------------------------

namespace {

// The single operators take an alpha as well.
void insert_alpha(Member& member) {
  static const aclScalar one{ACL_INT64, {1}};
  member.insert(2, Argument(&one));
}

}  // namespace

ACLGRAD_SINGLE(Adds)
ACLGRAD_SINGLE(Subs)

static Plan plan_sum(Member& member) {
  return insert_alpha(member), plan_of(aclnnAddsEntry, member);
}
static Plan plan_difference(Member& member) {
  return insert_alpha(member), plan_of(aclnnSubsEntry, member);
}

ACLGRAD_FOREACH_BY(AddScalar, plan_sum, kNumbersOfLists, list("x"), element("scalar"))
ACLGRAD_FOREACH_BY(AddScalarV2, plan_sum, kNumbersOfLists, list("x"), number("scalar"))
ACLGRAD_FOREACH_BY(AddScalarList, plan_sum, kFloats, list("x"), numbers("scalars"))
ACLGRAD_FOREACH_BY(SubScalar, plan_difference, kNumbersOfLists, list("x"), element("scalar"))
ACLGRAD_FOREACH_BY(SubScalarV2, plan_difference, kNumbersOfLists, list("x"), number("scalar"))
ACLGRAD_FOREACH_BY(SubScalarList, plan_difference, kFloats, list("x"), numbers("scalars"))

// ---- Others with scalars ------------------------------------------------------------------------

ACLGRAD_FOREACH(MulScalar, Muls, kNumbersAndDouble, list("x"), element("scalar"))
ACLGRAD_FOREACH(MulScalarV2, Muls, kNumbersOfLists, list("x"), number("scalar"))
ACLGRAD_FOREACH(MulScalarList, Muls, kFloats, list("x"), numbers("scalars"))
ACLGRAD_FOREACH(DivScalar, Divs, kFloats, list("x"), element("scalar"))
ACLGRAD_FOREACH(DivScalarV2, Divs, kFloats, list("x"), number("scalar"))
ACLGRAD_FOREACH(DivScalarList, Divs, kFloats, list("x"), numbers("scalars"))
ACLGRAD_FOREACH(PowScalar, PowTensorScalar, kFloats, list("x"), element("scalar"))
ACLGRAD_FOREACH(PowScalarV2, PowTensorScalar, kFloats, list("x"), number("scalar"))
ACLGRAD_FOREACH(PowScalarList, PowTensorScalar, kFloats, list("x"), numbers("scalars"))
ACLGRAD_FOREACH(PowScalarAndTensor, PowScalarTensor, kFloatsAndInt32, number("scalar"), list("x"))
ACLGRAD_FOREACH(MaximumScalar, ClampMin, kFloatsAndInt32, list("x"), element("scalar"))
ACLGRAD_FOREACH(MaximumScalarV2, ClampMin, kFloatsAndInt32, list("x"), number("scalar"))
ACLGRAD_FOREACH(MaximumScalarList, ClampMin, kFloatsAndInt32, list("x"), numbers("scalars"))
ACLGRAD_FOREACH(MinimumScalar, ClampMax, kFloatsAndInt32, list("x"), element("scalar"))
ACLGRAD_FOREACH(MinimumScalarV2, ClampMax, kFloatsAndInt32, list("x"), number("scalar"))
ACLGRAD_FOREACH(MinimumScalarList, ClampMax, kFloatsAndInt32, list("x"), numbers("scalars"))

// ---- Three lists --------------------------------------------------------------------------------

#define ACLGRAD_THREE_LISTS list("x1"), list("x2"), list("x3")
ACLGRAD_FOREACH(AddcmulScalar, Addcmul, kFloatsAndInt32, ACLGRAD_THREE_LISTS, element("scalar"))
ACLGRAD_FOREACH(AddcmulScalarV2, Addcmul, kFloats, ACLGRAD_THREE_LISTS, number("scalar"))
ACLGRAD_FOREACH(AddcmulScalarList, Addcmul, kFloats, ACLGRAD_THREE_LISTS, elements("scalars"))
ACLGRAD_FOREACH(AddcdivScalar, Addcdiv, kFloats, ACLGRAD_THREE_LISTS, element("scalar"))
ACLGRAD_FOREACH(AddcdivScalarV2, Addcdiv, kFloats, ACLGRAD_THREE_LISTS, number("scalar"))
ACLGRAD_FOREACH(AddcdivScalarList, Addcdiv, kFloats, ACLGRAD_THREE_LISTS, elements("scalars"))
#undef ACLGRAD_THREE_LISTS

}  // namespace aclgrad::ops::lists
