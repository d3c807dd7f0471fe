// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "ops/meta/dtypes.h"
#include "ops/meta/objects.h"

using namespace aclgrad::ops;

namespace {

constexpr char kCreate[] = "aclCreateScalar";

// Bytes that a scalar of this type holds; 0 for a type that no scalar can hold.
size_t scalar_size(aclDataType dtype) {
  constexpr std::array kPacked = {ACL_FLOAT6_E3M2, ACL_FLOAT6_E2M3, ACL_FLOAT4_E2M1,
                                  ACL_FLOAT4_E1M2};
  constexpr std::array kRefused = {ACL_DT_UNDEFINED, ACL_STRING, ACL_INT4, ACL_UINT1,
                                   ACL_COMPLEX32};
  // The sub-byte floats come one in a byte, whatever aclDataTypeSize says of them.
  if (std::find(kPacked.begin(), kPacked.end(), dtype) != kPacked.end()) return 1;
  if (std::find(kRefused.begin(), kRefused.end(), dtype) != kRefused.end()) return 0;
  return dtype_name(dtype).rfind("DT_UNKNOWN", 0) == 0 ? 0 : aclDataTypeSize(dtype);
}

}  // namespace

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  if (check_given(kCreate, "value", value) != kSuccess) return nullptr;
  const size_t size = scalar_size(dataType);
  if (size == 0) {
    if_memory_allows([&] {
      aclgradReportError(
          "EZ1006", "Not_Supported_Data_Type",
          fmt::format("{}: argument dataType is {}, expected a dtype that a scalar can hold.",
                      kCreate, dtype_name(dataType))
              .c_str(),
          nullptr, nullptr);
    });
    return nullptr;
  }
  std::unique_ptr<aclScalar> scalar(new (std::nothrow) aclScalar);
  if (scalar != nullptr) {
    scalar->dtype = dataType;
    std::memcpy(scalar->value, value, size);
  }
  return register_handle(kCreate, std::move(scalar), ACLGRAD_HANDLE_SCALAR);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return destroy("aclDestroyScalar", scalar, ACLGRAD_HANDLE_SCALAR);
}
