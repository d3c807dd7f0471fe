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

  // The same with seed and offset in tensors, which are read after the inputs that are filled.
  const Slot index = {.shape = {1}, .low = 1, .high = 9, .dtype = ACL_INT64};
  Case normal_tensor = normal;
  normal_tensor.api = "aclnnInplaceNormalTensor";
  normal_tensor.inputs = {{shape}, index, index};
  normal_tensor.phase_one = [](auto t, auto* size, auto** executor) {
    return aclnnInplaceNormalTensorGetWorkspaceSize(t[0], 1.5f, 0.0f, t[1], t[2], 0, size,
                                                    executor);
  };
  normal_tensor.phase_two = aclnnInplaceNormalTensor;
  Case uniform_tensor = uniform;
  uniform_tensor.api = "aclnnInplaceUniformTensor";
  uniform_tensor.inputs = normal_tensor.inputs;
  uniform_tensor.phase_one = [](auto t, auto* size, auto** executor) {
    return aclnnInplaceUniformTensorGetWorkspaceSize(t[0], -2.25, -2.25, t[1], t[2], 0, size,
                                                     executor);
  };
  uniform_tensor.phase_two = aclnnInplaceUniformTensor;
  return {normal, uniform, normal_tensor, uniform_tensor};
}

}  // namespace aclgrad::cases
