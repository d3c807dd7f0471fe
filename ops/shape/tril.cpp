// SPDX-License-Identifier: Apache-2.0
// aclnnTril, aclnnTriu, in place, too.
#include "aclnnop/aclnn_tril.h"

#include "aclnnop/aclnn_triu.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"
#include "ops/shape/triangle_kernel.h"

namespace aclgrad::ops::tril {
namespace {

constexpr DtypeSet kDtypesOf950{ACL_FLOAT,  ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,     ACL_INT16,
                                ACL_INT32,  ACL_INT64,   ACL_UINT8,  ACL_UINT16,   ACL_UINT32,
                                ACL_UINT64, ACL_BOOL,    ACL_BF16,   ACL_COMPLEX64};

enum : size_t { kSelf, kDiagonal, kOut };

OperatorSpec spec(const char* name) {
  return {
      name,
      {input("self"), attribute("diagonal"), output("out")},
      {not_null({kSelf, kOut}), dtype_in(kSelf, kAllReal, kDtypesOf950), same_dtype(kOut, kSelf),
       same_format(kOut, kSelf), min_rank(kSelf, 2), max_rank(kSelf), same_shape(kOut, kSelf)}};
}

OperatorSpec in_place_spec(const char* name) {
  return {name,
          {in_out("selfRef"), attribute("diagonal")},
          {not_null({kSelf}), dtype_in(kSelf, kAllReal, kDtypesOf950), min_rank(kSelf, 2),
           max_rank(kSelf)}};
}

constexpr auto planner(Triangle triangle, size_t out) {
  return [=](const Arguments& arguments) {
    return plan_triangle(arguments, kSelf, out, triangle, arguments.integer(kDiagonal));
  };
}

const OperatorSpec kTril = spec("aclnnTril");
const OperatorSpec kTriu = spec("aclnnTriu");
const OperatorSpec kInplaceTril = in_place_spec("aclnnInplaceTril");
const OperatorSpec kInplaceTriu = in_place_spec("aclnnInplaceTriu");

}  // namespace

ACLGRAD_OPERATOR(aclnnTril, kTril, planner(Triangle::kLower, kOut))
ACLGRAD_OPERATOR(aclnnInplaceTril, kInplaceTril, planner(Triangle::kLower, kSelf))
ACLGRAD_OPERATOR(aclnnTriu, kTriu, planner(Triangle::kUpper, kOut))
ACLGRAD_OPERATOR(aclnnInplaceTriu, kInplaceTriu, planner(Triangle::kUpper, kSelf))

}  // namespace aclgrad::ops::tril
