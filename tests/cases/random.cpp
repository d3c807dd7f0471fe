// SPDX-License-Identifier: Apache-2.0
// Random fills have no reference but their distribution, which has tests of its own. What a row can
// say exactly: without spread every value is the centre.
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {

std::vector<Case> random_cases() {
  const std::vector<int64_t> shape = {kN, 3, 4};
  Case normal = {.api = "aclnnInplaceNormal",
                 .attributes = "std=0",
                 .dtypes = kFloatTypes,
                 .inputs = {{shape}},
                 .outputs = {{.shape = shape, .aliases = 0}},
                 .phase_one =
                     [](auto t, auto* size, auto** executor) {
                       return aclnnInplaceNormalGetWorkspaceSize(t[0], 1.5f, 0.0f, 1, 0, size,
                                                                 executor);
                     },
                 .phase_two = aclnnInplaceNormal,
                 .reference = elementwise([](auto) { return 1.5L; }),
                 .max_ulp = 0};
  Case uniform = normal;
  uniform.api = "aclnnInplaceUniform";
  uniform.attributes = "from=to";
  uniform.phase_one = [](auto t, auto* size, auto** executor) {
    return aclnnInplaceUniformGetWorkspaceSize(t[0], -2.25, -2.25, 1, 0, size, executor);
  };
  uniform.phase_two = aclnnInplaceUniform;
  uniform.reference = elementwise([](auto) { return -2.25L; });
  return {normal, uniform};
}

}  // namespace aclgrad::cases
