// SPDX-License-Identifier: Apache-2.0
// Functions over lists and the operators that they are for single tensors.
#include "aclnnop/aclnn_foreach_abs.h"
#include "aclnnop/aclnn_foreach_acos.h"
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
#include "aclnnop/aclnn_foreach_asin.h"
#include "aclnnop/aclnn_foreach_atan.h"
#include "aclnnop/aclnn_foreach_cos.h"
#include "aclnnop/aclnn_foreach_cosh.h"
#include "aclnnop/aclnn_foreach_div_list.h"
#include "aclnnop/aclnn_foreach_div_scalar.h"
#include "aclnnop/aclnn_foreach_div_scalar_list.h"
#include "aclnnop/aclnn_foreach_div_scalar_v2.h"
#include "aclnnop/aclnn_foreach_erf.h"
#include "aclnnop/aclnn_foreach_erfc.h"
#include "aclnnop/aclnn_foreach_exp.h"
#include "aclnnop/aclnn_foreach_expm1.h"
#include "aclnnop/aclnn_foreach_lerp_list.h"
#include "aclnnop/aclnn_foreach_lerp_scalar.h"
#include "aclnnop/aclnn_foreach_log.h"
#include "aclnnop/aclnn_foreach_log10.h"
#include "aclnnop/aclnn_foreach_log1p.h"
#include "aclnnop/aclnn_foreach_log2.h"
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
#include "aclnnop/aclnn_foreach_neg.h"
#include "aclnnop/aclnn_foreach_pow_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar.h"
#include "aclnnop/aclnn_foreach_pow_scalar_and_tensor.h"
#include "aclnnop/aclnn_foreach_pow_scalar_list.h"
#include "aclnnop/aclnn_foreach_pow_scalar_v2.h"
#include "aclnnop/aclnn_foreach_reciprocal.h"
#include "aclnnop/aclnn_foreach_sigmoid.h"
#include "aclnnop/aclnn_foreach_sign.h"
#include "aclnnop/aclnn_foreach_sin.h"
#include "aclnnop/aclnn_foreach_sinh.h"
#include "aclnnop/aclnn_foreach_sqrt.h"
#include "aclnnop/aclnn_foreach_sub_list.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_foreach_sub_scalar.h"
#include "aclnnop/aclnn_foreach_sub_scalar_list.h"
#include "aclnnop/aclnn_foreach_sub_scalar_v2.h"
#include "aclnnop/aclnn_foreach_tan.h"
#include "aclnnop/aclnn_foreach_tanh.h"
#include "ops/lists/list_contract.h"

namespace aclgrad::contract {
namespace {

const DTypes kFloatsAndInt32 = kFloats + DTypes{ACL_INT32};
const DTypes kListNumbers = kFloats + DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

#define ACLGRAD_LISTS(Name) ACLGRAD_CALL(aclnnForeach##Name)

void add_with_scalars(Lists& lists, const std::array<Signature, 3>& calls,
                      const std::string& single, const std::array<DTypes, 3>& dtypes,
                      double first = 3, double second = -0.75) {
  constexpr const char* kScalars[] = {"scalar", "scalar", "scalars"};
  for (size_t form = 0; form < calls.size(); ++form) {
    lists.add(calls[form], {"x", kScalars[form], "out"}, single, {dtypes[form], {first, second}});
  }
}

#define ACLGRAD_WITH_SCALARS(Name) \
  { ACLGRAD_LISTS(Name##Scalar), ACLGRAD_LISTS(Name##ScalarV2), ACLGRAD_LISTS(Name##ScalarList) }

}  // namespace

void add_list_functions(Lists& lists) {
  lists.add(ACLGRAD_LISTS(Abs), {"x", "out"}, "aclnnAbs");
  lists.add(ACLGRAD_LISTS(Acos), {"x", "out"}, "aclnnAcos");
  lists.add(ACLGRAD_LISTS(Asin), {"x", "out"}, "aclnnAsin");
  lists.add(ACLGRAD_LISTS(Atan), {"x", "out"}, "aclnnAtan");
  lists.add(ACLGRAD_LISTS(Cos), {"x", "out"}, "aclnnCos");
  lists.add(ACLGRAD_LISTS(Cosh), {"x", "out"}, "aclnnCosh");
  lists.add(ACLGRAD_LISTS(Erf), {"x", "out"}, "aclnnErf");
  lists.add(ACLGRAD_LISTS(Erfc), {"x", "out"}, "aclnnErfc");
  lists.add(ACLGRAD_LISTS(Exp), {"x", "out"}, "aclnnExp");
  lists.add(ACLGRAD_LISTS(Expm1), {"x", "out"}, "aclnnExpm1");
  lists.add(ACLGRAD_LISTS(Log), {"x", "out"}, "aclnnLog");
  lists.add(ACLGRAD_LISTS(Log10), {"x", "out"}, "aclnnLog10");
  lists.add(ACLGRAD_LISTS(Log1p), {"x", "out"}, "aclnnLog1p");
  lists.add(ACLGRAD_LISTS(Log2), {"x", "out"}, "aclnnLog2");
  lists.add(ACLGRAD_LISTS(Neg), {"x", "out"}, "aclnnNeg", {kFloatsAndInt32});
  lists.add(ACLGRAD_LISTS(Reciprocal), {"x", "out"}, "aclnnReciprocal");
  lists.add(ACLGRAD_LISTS(Sigmoid), {"x", "out"}, "aclnnSigmoid");
  lists.add(ACLGRAD_LISTS(Sign), {"x", "out"}, "aclnnSign", {kListNumbers});
  lists.add(ACLGRAD_LISTS(Sin), {"x", "out"}, "aclnnSin");
  lists.add(ACLGRAD_LISTS(Sinh), {"x", "out"}, "aclnnSinh");
  lists.add(ACLGRAD_LISTS(Sqrt), {"x", "out"}, "aclnnSqrt");
  lists.add(ACLGRAD_LISTS(Tan), {"x", "out"}, "aclnnTan");
  lists.add(ACLGRAD_LISTS(Tanh), {"x", "out"}, "aclnnTanh");
}

void add_list_operands(Lists& lists) {
  const std::vector<std::string> two = {"x1", "x2", "out"};
  lists.add(ACLGRAD_LISTS(MulList), two, "aclnnMul", {kListNumbers});
  lists.add(ACLGRAD_LISTS(DivList), two, "aclnnDiv");
  lists.add(ACLGRAD_LISTS(PowList), two, "aclnnPowTensorTensor");
  lists.add(ACLGRAD_LISTS(MaximumList), two, "aclnnMaximum", {kFloatsAndInt32});
  lists.add(ACLGRAD_LISTS(MinimumList), two, "aclnnMinimum", {kFloatsAndInt32});
  lists.add(ACLGRAD_LISTS(LerpScalar), {"x1", "x2", "weight", "out"}, "aclnnLerps",
            {kFloats, {0.25, 0.75}});
  lists.add(ACLGRAD_LISTS(LerpList), {"x1", "x2", "weights", "out"}, "aclnnLerp");
  const std::vector<std::string> sum = {"x1", "x2", "alpha", "out"};
  lists.add(ACLGRAD_LISTS(AddList), sum, "aclnnAdd", {kListNumbers});
  lists.add(ACLGRAD_LISTS(AddListV2), sum, "aclnnAdd", {kListNumbers});
  lists.add(ACLGRAD_LISTS(SubList), sum, "aclnnSub", {kListNumbers});
  lists.add(ACLGRAD_LISTS(SubListV2), sum, "aclnnSub", {kListNumbers});

  const std::array sums = {kListNumbers, kListNumbers, kFloats};
  const std::array floats = {kFloats, kFloats, kFloats};
  const std::array bounds = {kFloatsAndInt32, kFloatsAndInt32, kFloatsAndInt32};
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Add), "aclnnAdds", sums);
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Sub), "aclnnSubs", sums);
  lists.add(ACLGRAD_LISTS(MulScalar), {"x", "scalar", "out"}, "aclnnMuls",
            {kListNumbers + DTypes{ACL_DOUBLE}});
  lists.add(ACLGRAD_LISTS(MulScalarV2), {"x", "scalar", "out"}, "aclnnMuls",
            {kListNumbers, {3, -0.75}, "foreach_mul({a, b}, factor)", "foreach_mul"});
  lists.add(ACLGRAD_LISTS(MulScalarList), {"x", "scalars", "out"}, "aclnnMuls");
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Div), "aclnnDivs", floats);
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Pow), "aclnnPowTensorScalar", floats, 2, -0.5);
  lists.add(ACLGRAD_LISTS(PowScalarAndTensor), {"scalar", "x", "out"}, "aclnnPowScalarTensor",
            {kFloatsAndInt32, {2, 3}});
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Maximum), "aclnnClampMin", bounds, 1, -2);
  add_with_scalars(lists, ACLGRAD_WITH_SCALARS(Minimum), "aclnnClampMax", bounds, 1, -2);

  const std::vector<std::string> three = {"x1", "x2", "x3", "scalar", "out"};
  const std::vector<std::string> of_each = {"x1", "x2", "x3", "scalars", "out"};
  lists.add(ACLGRAD_LISTS(AddcmulScalar), three, "aclnnAddcmul", {kFloatsAndInt32});
  lists.add(ACLGRAD_LISTS(AddcmulScalarV2), three, "aclnnAddcmul");
  lists.add(ACLGRAD_LISTS(AddcmulScalarList), of_each, "aclnnAddcmul");
  lists.add(ACLGRAD_LISTS(AddcdivScalar), three, "aclnnAddcdiv");
  lists.add(ACLGRAD_LISTS(AddcdivScalarV2), three, "aclnnAddcdiv");
  lists.add(ACLGRAD_LISTS(AddcdivScalarList), of_each, "aclnnAddcdiv");
}

}  // namespace aclgrad::contract
