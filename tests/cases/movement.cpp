// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_zero.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

const std::vector<aclDataType> kTypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                         ACL_UINT8, ACL_INT16,   ACL_INT32, ACL_INT64};

Reference same() {
  return elementwise([](auto x) { return x[0]; });
}

Reference constant(long double value) {
  return elementwise([value](auto) { return value; });
}

}  // namespace

std::vector<Case> movement_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  std::vector<Case> rows;
  for (aclDataType target : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_DOUBLE}) {
    rows.push_back({.api = "aclnnCast",
                    .attributes = "dtype=" + std::to_string(target),
                    .dtypes = kTypes,
                    .inputs = {{shape, 0, 100}},
                    .outputs = {{.shape = shape, .dtype = target}},
                    .phase_one =
                        [target](auto t, auto* size, auto** executor) {
                          return aclnnCastGetWorkspaceSize(t[0], target, t[1], size, executor);
                        },
                    .phase_two = aclnnCast,
                    .reference = same(),
                    .max_ulp = 0.500001});
  }
  rows.push_back({.api = "aclnnInplaceCopy",
                  .attributes = "",
                  .dtypes = kTypes,
                  .inputs = {{shape, 0, 100}, {shape, 0, 100}},
                  .outputs = {{.shape = shape, .aliases = 0}},
                  .phase_one =
                      [](auto t, auto* size, auto** executor) {
                        return aclnnInplaceCopyGetWorkspaceSize(t[0], t[1], size, executor);
                      },
                  .phase_two = aclnnInplaceCopy,
                  .reference = elementwise([](auto x) { return x[1]; }),
                  .max_ulp = 0});
  rows.push_back({.api = "aclnnInplaceZero",
                  .attributes = "",
                  .dtypes = kTypes,
                  .inputs = {{shape, 1, 100}},
                  .outputs = {{.shape = shape, .aliases = 0}},
                  .phase_one =
                      [](auto t, auto* size, auto** executor) {
                        return aclnnInplaceZeroGetWorkspaceSize(t[0], size, executor);
                      },
                  .phase_two = aclnnInplaceZero,
                  .reference = constant(0),
                  .max_ulp = 0});
  rows.push_back({.api = "aclnnInplaceFillScalar",
                  .attributes = "",
                  .dtypes = kTypes,
                  .inputs = {{shape, 1, 100}},
                  .outputs = {{.shape = shape, .aliases = 0}},
                  .phase_one =
                      [value = scalar(7)](auto t, auto* size, auto** executor) {
                        return aclnnInplaceFillScalarGetWorkspaceSize(t[0], value, size, executor);
                      },
                  .phase_two = aclnnInplaceFillScalar,
                  .reference = constant(7),
                  .max_ulp = 0});
  return rows;
}

}  // namespace aclgrad::cases
