// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclgrad_common/float16.h"

namespace aclgrad::contract {
namespace {

using common::DtypeInfo;

template <class T>
T load_as(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store_as(void* data, size_t index, T value) {
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof(T), &value, sizeof(T));
}

const DtypeInfo& info_of(aclDataType dtype) {
  static constexpr DtypeInfo kUnknown{ACL_DT_UNDEFINED, "another dtype", "another dtype",
                                      common::DtypeKind::kNone, 1};
  const DtypeInfo* found = find_dtype(dtype);
  return found == nullptr ? kUnknown : *found;
}

int bits_of(const DtypeInfo& integer) {
  return integer.kind == common::DtypeKind::kBool ? 1 : static_cast<int>(8 * integer.bytes);
}

}  // namespace

const std::vector<aclDataType>& dtypes_with_numbers() {
  static const std::vector<aclDataType> all = [] {
    std::vector<aclDataType> known;
    for (const DtypeInfo& each : common::kDtypes) {
      if (find_dtype(each.dtype) != nullptr) known.push_back(each.dtype);
    }
    return known;
  }();
  return all;
}

const DtypeInfo* find_dtype(aclDataType dtype) {
  const DtypeInfo* found = common::find_dtype(dtype);
  const bool is_known = found != nullptr && found->kind != common::DtypeKind::kNone;
  return is_known && dtype != ACL_COMPLEX32 ? found : nullptr;
}

bool is_complex(aclDataType dtype) { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128; }

bool is_float(aclDataType dtype) {
  const DtypeInfo* found = find_dtype(dtype);
  return found != nullptr && found->kind == common::DtypeKind::kFloating;
}

bool is_whole(aclDataType dtype) {
  const DtypeInfo* found = find_dtype(dtype);
  return found != nullptr && found->precision == 0;
}

const char* label_of(aclDataType dtype) { return info_of(dtype).name; }

size_t bytes_of(aclDataType dtype) { return info_of(dtype).bytes; }

aclDataType part_of(aclDataType dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
}

Number unit_at(Number x, aclDataType dtype) {
  if (!std::isfinite(x)) return std::numeric_limits<Number>::infinity();
  const DtypeInfo& info = info_of(dtype);
  const int exponent = x == 0
                           ? info.lowest_exponent
                           : std::clamp(std::ilogb(x), info.lowest_exponent, info.highest_exponent);
  return std::ldexp(Number{1}, exponent - info.precision + 1);
}

Number rounded(Number x, aclDataType dtype) {
  // As the processor does it.
  if (dtype == ACL_DOUBLE) return static_cast<Number>(static_cast<double>(x));
  if (dtype == ACL_FLOAT) return static_cast<Number>(static_cast<float>(x));
  if (dtype == ACL_BOOL) return x != 0 ? 1 : 0;
  const DtypeInfo* to = find_dtype(dtype);
  if (to == nullptr || x == 0) return x;
  if (is_whole(dtype)) {
    if (std::isnan(x)) return 0;
    const Number limit = std::ldexp(Number{1}, bits_of(*to) - (to->is_signed ? 1 : 0));
    return std::clamp(std::trunc(x), to->is_signed ? -limit : Number{0}, limit - 1);
  }
  if (!std::isfinite(x)) return x;
  const Number unit = unit_at(x, dtype);
  const Number nearest = std::nearbyint(x / unit) * unit;
  const bool overflows = std::abs(nearest) >= std::ldexp(Number{1}, to->highest_exponent + 1);
  return overflows ? std::copysign(std::numeric_limits<Number>::infinity(), x) : nearest;
}

Number next_above(Number x, aclDataType dtype) {
  // Just below a power of two the numbers lie half as far apart.
  const Number below = x < 0 ? unit_at(x / 2, dtype) : unit_at(x, dtype);
  const Number near = x + below;
  return rounded(near, dtype) == near ? near : x + unit_at(x, dtype);
}

Number wrapped(Number x, aclDataType dtype) {
  const DtypeInfo* to = find_dtype(dtype);
  if (dtype == ACL_BOOL || !is_whole(dtype)) return rounded(x, dtype);
  const Number range = std::ldexp(Number{1}, bits_of(*to));
  const Number least = to->is_signed ? -range / 2 : Number{0};
  const Number above = std::fmod(std::trunc(x) - least, range);
  return above < 0 ? above + range + least : above + least;
}

Number converted(Number x, aclDataType from, aclDataType to) {
  if (to == ACL_BOOL) return rounded(x, to);
  if (!is_whole(to)) return x;
  return is_whole(from) ? wrapped(x, to) : rounded(x, to);
}

Number load(const void* data, aclDataType dtype, size_t index) {
  switch (dtype) {
    case ACL_FLOAT:
      return load_as<float>(data, index);
    case ACL_DOUBLE:
      return load_as<double>(data, index);
    case ACL_FLOAT16:
      return common::float16_to_float(load_as<uint16_t>(data, index));
    case ACL_BF16:
      return common::bfloat16_to_float(load_as<uint16_t>(data, index));
    case ACL_INT8:
      return load_as<int8_t>(data, index);
    case ACL_INT16:
      return load_as<int16_t>(data, index);
    case ACL_INT32:
      return load_as<int32_t>(data, index);
    case ACL_INT64:
      return static_cast<Number>(load_as<int64_t>(data, index));
    case ACL_UINT16:
      return load_as<uint16_t>(data, index);
    case ACL_UINT32:
      return load_as<uint32_t>(data, index);
    case ACL_UINT64:
      return static_cast<Number>(load_as<uint64_t>(data, index));
    case ACL_COMPLEX64:
      return load_as<float>(data, 2 * index);
    case ACL_COMPLEX128:
      return load_as<double>(data, 2 * index);
    default:
      return load_as<uint8_t>(data, index);
  }
}

void store(void* data, aclDataType dtype, size_t index, Number value) {
  if (is_complex(dtype)) {
    store(data, part_of(dtype), 2 * index, value);
    store(data, part_of(dtype), 2 * index + 1, 0);
    return;
  }
  const Number held = rounded(value, dtype);
  switch (dtype) {
    case ACL_FLOAT:
      return store_as(data, index, static_cast<float>(held));
    case ACL_DOUBLE:
      return store_as(data, index, static_cast<double>(held));
    case ACL_FLOAT16:
      return store_as(data, index, common::to_float16(static_cast<double>(held)));
    case ACL_BF16:
      return store_as(data, index, common::to_bfloat16(static_cast<double>(held)));
    case ACL_INT8:
      return store_as(data, index, static_cast<int8_t>(held));
    case ACL_INT16:
      return store_as(data, index, static_cast<int16_t>(held));
    case ACL_INT32:
      return store_as(data, index, static_cast<int32_t>(held));
    case ACL_INT64:
      return store_as(data, index, static_cast<int64_t>(held));
    case ACL_UINT16:
      return store_as(data, index, static_cast<uint16_t>(held));
    case ACL_UINT32:
      return store_as(data, index, static_cast<uint32_t>(held));
    case ACL_UINT64:
      return store_as(data, index, static_cast<uint64_t>(held));
    default:
      return store_as(data, index, static_cast<uint8_t>(held));
  }
}

}  // namespace aclgrad::contract
