// SPDX-License-Identifier: Apache-2.0
// aclnnTransMatmulWeight, aclnnCalculateMatmulWeightSizeV2.
#include <fmt/format.h>

#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/objects.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::weights {
namespace {

enum : size_t { kWeight };

constexpr DtypeSet kWeights{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8}, {ACL_BF16}};

const OperatorSpec kSpec{
    "aclnnTransMatmulWeight",
    {in_out("mmWeightRef")},
    Rules{not_null({kWeight}), dtype_in(kWeight, kWeights), max_rank(kWeight),
          require([](const Arguments& arguments) -> std::optional<std::string> {
            const Dims& shape = arguments.shape(kWeight);
            if (shape.size() >= 2) return std::nullopt;
            return fmt::format("tensor {} must have at least 2 dimensions, but is {}.",
                               arguments.name(kWeight), to_string(shape));
          })}};

}  // namespace

ACLGRAD_OPERATOR(aclnnTransMatmulWeight, kSpec, [](const Arguments&) {
  return Plan{[](const Run&) -> aclError { return ACL_SUCCESS; }};
})

}  // namespace aclgrad::ops::weights

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                             uint64_t* weightTensorSize) {
  using namespace aclgrad::ops;
  constexpr char kName[] = "aclnnCalculateMatmulWeightSizeV2";
  aclnnStatus status = check_handle(kName, "tensorShape", tensorShape, ACLGRAD_HANDLE_INT_ARRAY);
  if (status == OK) status = check_given(kName, "weightTensorSize", weightTensorSize);
  if (status != OK) return status;
  const auto refused = [&](const std::string& message) {
    report(kName, kInvalidParameter, message);
    return kInvalidParameter;
  };
  uint64_t bytes = aclDataTypeSize(dataType);
  if (bytes == 0) {
    return refused(fmt::format("dataType {} has no size of an element.", dtype_name(dataType)));
  }
  for (const int64_t each : tensorShape->values) {
    if (each < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(each), &bytes)) {
      return refused(
          fmt::format("tensorShape {} must have sizes of at least 0 whose product 64 "
                      "bits can hold.",
                      to_string(Dims(tensorShape->values.data(),
                                     std::min(tensorShape->values.size(), kMaxRank)))));
    }
  }
  *weightTensorSize = dataType == ACL_INT4 ? (bytes + 1) / 2 : bytes;
  return OK;
}
