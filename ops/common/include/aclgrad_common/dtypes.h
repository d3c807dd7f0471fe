// SPDX-License-Identifier: Apache-2.0
// What the dtypes of the C interface are: the one table of them, for both sides of the boundary.
#pragma once

#include <cstddef>

#include "acl/acl_base.h"

namespace aclgrad::common {

// From what others promote to it; of kNone no tensor is computed with.
enum class DtypeKind { kNone, kBool, kInteger, kFloating, kComplex };

struct DtypeInfo {
  aclDataType dtype;
  const char* name;        // "FLOAT16"; messages of the C interface say DT_FLOAT16
  const char* short_name;  // "float16", as the framework says; null where there is no kind
  DtypeKind kind = DtypeKind::kNone;
  std::size_t bytes = 0;
  bool is_signed = true;
  // Of floating numbers and the parts of complex ones: the precision counts the implied bit, the
  // exponents are those of the smallest normal number 2^e and of the largest finite one.
  int precision = 0;
  int lowest_exponent = 0;
  int highest_exponent = 0;
};

// In the order in which messages list them.
inline constexpr DtypeInfo kDtypes[] = {
    {ACL_DT_UNDEFINED, "UNDEFINED", nullptr},
    {ACL_FLOAT, "FLOAT", "float32", DtypeKind::kFloating, 4, true, 24, -126, 127},
    {ACL_FLOAT16, "FLOAT16", "float16", DtypeKind::kFloating, 2, true, 11, -14, 15},
    {ACL_BF16, "BF16", "bfloat16", DtypeKind::kFloating, 2, true, 8, -126, 127},
    {ACL_DOUBLE, "DOUBLE", "float64", DtypeKind::kFloating, 8, true, 53, -1022, 1023},
    {ACL_INT8, "INT8", "int8", DtypeKind::kInteger, 1},
    {ACL_INT16, "INT16", "int16", DtypeKind::kInteger, 2},
    {ACL_INT32, "INT32", "int32", DtypeKind::kInteger, 4},
    {ACL_INT64, "INT64", "int64", DtypeKind::kInteger, 8},
    {ACL_UINT8, "UINT8", "uint8", DtypeKind::kInteger, 1, false},
    {ACL_UINT16, "UINT16", "uint16", DtypeKind::kInteger, 2, false},
    {ACL_UINT32, "UINT32", "uint32", DtypeKind::kInteger, 4, false},
    {ACL_UINT64, "UINT64", "uint64", DtypeKind::kInteger, 8, false},
    {ACL_BOOL, "BOOL", "bool", DtypeKind::kBool, 1, false},
    {ACL_STRING, "STRING", nullptr},
    {ACL_COMPLEX32, "COMPLEX32", "complex32", DtypeKind::kComplex, 4, true, 11, -14, 15},
    {ACL_COMPLEX64, "COMPLEX64", "complex64", DtypeKind::kComplex, 8, true, 24, -126, 127},
    {ACL_COMPLEX128, "COMPLEX128", "complex128", DtypeKind::kComplex, 16, true, 53, -1022, 1023},
    {ACL_INT4, "INT4", nullptr},
    {ACL_UINT1, "UINT1", nullptr},
    {ACL_HIFLOAT8, "HIFLOAT8", nullptr},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2", nullptr},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN", nullptr},
    {ACL_FLOAT8_E8M0, "FLOAT8_E8M0", nullptr},
    {ACL_FLOAT6_E3M2, "FLOAT6_E3M2", nullptr},
    {ACL_FLOAT6_E2M3, "FLOAT6_E2M3", nullptr},
    {ACL_FLOAT4_E2M1, "FLOAT4_E2M1", nullptr},
    {ACL_FLOAT4_E1M2, "FLOAT4_E1M2", nullptr},
};

// Null for a number that no dtype has.
constexpr const DtypeInfo* find_dtype(aclDataType dtype) {
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype == dtype) return &info;
  }
  return nullptr;
}

}  // namespace aclgrad::common
