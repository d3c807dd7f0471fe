// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/dtypes.h"

#include <fmt/format.h>

#include "aclgrad_common/dtypes.h"
#include "aclgrad_ext.h"

namespace aclgrad::ops {
namespace {

using Category = common::DtypeKind;

Category category(aclDataType dtype) {
  const common::DtypeInfo* info = common::find_dtype(dtype);
  return info != nullptr ? info->kind : Category::kNone;
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
  const common::DtypeInfo* info = common::find_dtype(dtype);
  return info != nullptr ? std::string("DT_") + info->name
                         : fmt::format("DT_UNKNOWN({})", static_cast<int>(dtype));
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
  for (const common::DtypeInfo& info : common::kDtypes) {
    if (contains(info.dtype)) text += (text.empty() ? "" : ", ") + dtype_name(info.dtype);
  }
  return "[" + text + "]";
}

}  // namespace aclgrad::ops
