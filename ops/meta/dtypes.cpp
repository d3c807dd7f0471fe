// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/dtypes.h"

#include <fmt/format.h>

#include <array>

#include "aclgrad_ext.h"

namespace aclgrad::ops {
namespace {

enum class Category { kNone, kBool, kInteger, kFloating, kComplex };

struct DtypeInfo {
  aclDataType dtype;
  const char* name;
  Category category;
};

constexpr std::array kDtypes = {
    DtypeInfo{ACL_DT_UNDEFINED, "DT_UNDEFINED", Category::kNone},
    DtypeInfo{ACL_FLOAT, "DT_FLOAT", Category::kFloating},
    DtypeInfo{ACL_FLOAT16, "DT_FLOAT16", Category::kFloating},
    DtypeInfo{ACL_BF16, "DT_BF16", Category::kFloating},
    DtypeInfo{ACL_DOUBLE, "DT_DOUBLE", Category::kFloating},
    DtypeInfo{ACL_INT8, "DT_INT8", Category::kInteger},
    DtypeInfo{ACL_INT16, "DT_INT16", Category::kInteger},
    DtypeInfo{ACL_INT32, "DT_INT32", Category::kInteger},
    DtypeInfo{ACL_INT64, "DT_INT64", Category::kInteger},
    DtypeInfo{ACL_UINT8, "DT_UINT8", Category::kInteger},
    DtypeInfo{ACL_UINT16, "DT_UINT16", Category::kInteger},
    DtypeInfo{ACL_UINT32, "DT_UINT32", Category::kInteger},
    DtypeInfo{ACL_UINT64, "DT_UINT64", Category::kInteger},
    DtypeInfo{ACL_BOOL, "DT_BOOL", Category::kBool},
    DtypeInfo{ACL_STRING, "DT_STRING", Category::kNone},
    DtypeInfo{ACL_COMPLEX32, "DT_COMPLEX32", Category::kComplex},
    DtypeInfo{ACL_COMPLEX64, "DT_COMPLEX64", Category::kComplex},
    DtypeInfo{ACL_COMPLEX128, "DT_COMPLEX128", Category::kComplex},
    DtypeInfo{ACL_INT4, "DT_INT4", Category::kNone},
    DtypeInfo{ACL_UINT1, "DT_UINT1", Category::kNone},
    DtypeInfo{ACL_HIFLOAT8, "DT_HIFLOAT8", Category::kNone},
    DtypeInfo{ACL_FLOAT8_E5M2, "DT_FLOAT8_E5M2", Category::kNone},
    DtypeInfo{ACL_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", Category::kNone},
    DtypeInfo{ACL_FLOAT8_E8M0, "DT_FLOAT8_E8M0", Category::kNone},
    DtypeInfo{ACL_FLOAT6_E3M2, "DT_FLOAT6_E3M2", Category::kNone},
    DtypeInfo{ACL_FLOAT6_E2M3, "DT_FLOAT6_E2M3", Category::kNone},
    DtypeInfo{ACL_FLOAT4_E2M1, "DT_FLOAT4_E2M1", Category::kNone},
    DtypeInfo{ACL_FLOAT4_E1M2, "DT_FLOAT4_E1M2", Category::kNone},
};

const DtypeInfo* find(aclDataType dtype) {
  for (const DtypeInfo& info : kDtypes) {
    if (info.dtype == dtype) return &info;
  }
  return nullptr;
}

Category category(aclDataType dtype) {
  const DtypeInfo* info = find(dtype);
  return info != nullptr ? info->category : Category::kNone;
}

bool promotes_only_with_itself(aclDataType dtype) {
  return dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
}

aclDataType promote_integers(aclDataType a, aclDataType b) {
  if (a == ACL_UINT8) std::swap(a, b);
  if (b == ACL_UINT8) return a == ACL_INT8 ? ACL_INT16 : a;
  return aclDataTypeSize(a) >= aclDataTypeSize(b) ? a : b;
}

aclDataType promote_floats(aclDataType a, aclDataType b) {
  // Neither 16-bit type holds the other's values.
  if (aclDataTypeSize(a) == 2 && aclDataTypeSize(b) == 2) return ACL_FLOAT;
  return aclDataTypeSize(a) >= aclDataTypeSize(b) ? a : b;
}

// The complex type that goes with a real partner of a COMPLEX32 tensor.
aclDataType complex_for(aclDataType real) {
  if (real == ACL_DOUBLE) return ACL_COMPLEX128;
  return real == ACL_FLOAT ? ACL_COMPLEX64 : ACL_COMPLEX32;
}

aclDataType promote_with_complex(aclDataType complex, aclDataType other) {
  const aclDataType partner = is_complex(other) ? other : complex_for(other);
  return aclDataTypeSize(complex) >= aclDataTypeSize(partner) ? complex : partner;
}

}  // namespace

std::string dtype_name(aclDataType dtype) {
  const DtypeInfo* info = find(dtype);
  return info != nullptr ? info->name : fmt::format("DT_UNKNOWN({})", static_cast<int>(dtype));
}

bool is_floating(aclDataType dtype) { return category(dtype) == Category::kFloating; }
bool is_integer(aclDataType dtype) { return category(dtype) == Category::kInteger; }
bool is_complex(aclDataType dtype) { return category(dtype) == Category::kComplex; }

bool can_cast(aclDataType from, aclDataType to) {
  if (category(from) == Category::kNone || category(to) == Category::kNone) return false;
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && is_integer(to)) return false;
  return to != ACL_BOOL || from == ACL_BOOL;
}

std::optional<aclDataType> promote_types(aclDataType a, aclDataType b) {
  if (category(a) == Category::kNone || category(b) == Category::kNone) return std::nullopt;
  if (a == b) return a;
  if (promotes_only_with_itself(a) || promotes_only_with_itself(b)) return std::nullopt;
  const Category category_a = category(a);
  const Category category_b = category(b);
  if (category_a < category_b) return promote_types(b, a);
  if (category_a == Category::kComplex) return promote_with_complex(a, b);
  if (category_a != category_b) return a;
  return category_a == Category::kInteger ? promote_integers(a, b) : promote_floats(a, b);
}

uint64_t DtypeSet::current() const {
  uint64_t bits = everywhere_;
  if (is_a2_or_later(current_soc())) bits |= from_a2_on_;
  if ((bits & mask({ACL_FLOAT})) != 0 && aclgradGetAcceptDouble() != 0) bits |= mask({ACL_DOUBLE});
  return bits;
}

bool DtypeSet::contains(aclDataType dtype) const {
  const int number = static_cast<int>(dtype);
  return number >= 0 && number < 64 && ((current() >> number) & 1) != 0;
}

std::string DtypeSet::to_string() const {
  std::string text;
  for (const DtypeInfo& info : kDtypes) {
    if (contains(info.dtype)) text += (text.empty() ? "" : ", ") + std::string(info.name);
  }
  return "[" + text + "]";
}

}  // namespace aclgrad::ops
