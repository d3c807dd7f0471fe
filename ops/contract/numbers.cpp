// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclgrad_common/float16.h"

namespace aclgrad::contract {
namespace {

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
  static const DtypeInfo unknown{dtype, "another dtype", "another dtype", 1, 8, false, 0, 0, 0};
  const DtypeInfo* found = find_dtype(dtype);
  return found == nullptr ? unknown : *found;
}

}  // namespace

const std::vector<DtypeInfo>& all_dtype_infos() {
  static const std::vector<DtypeInfo> all = {
      {ACL_FLOAT, "FLOAT", "float32", 4, 0, true, 24, -126, 127},
      {ACL_FLOAT16, "FLOAT16", "float16", 2, 0, true, 11, -14, 15},
      {ACL_BF16, "BF16", "bfloat16", 2, 0, true, 8, -126, 127},
      {ACL_DOUBLE, "DOUBLE", "float64", 8, 0, true, 53, -1022, 1023},
      {ACL_INT8, "INT8", "int8", 1, 8, true, 0, 0, 0},
      {ACL_INT16, "INT16", "int16", 2, 16, true, 0, 0, 0},
      {ACL_INT32, "INT32", "int32", 4, 32, true, 0, 0, 0},
      {ACL_INT64, "INT64", "int64", 8, 64, true, 0, 0, 0},
      {ACL_UINT8, "UINT8", "uint8", 1, 8, false, 0, 0, 0},
      {ACL_BOOL, "BOOL", "bool", 1, 1, false, 0, 0, 0},
      {ACL_UINT16, "UINT16", "uint16", 2, 16, false, 0, 0, 0},
      {ACL_UINT32, "UINT32", "uint32", 4, 32, false, 0, 0, 0},
      {ACL_UINT64, "UINT64", "uint64", 8, 64, false, 0, 0, 0},
      {ACL_COMPLEX64, "COMPLEX64", "complex64", 8, 0, true, 24, -126, 127},
      {ACL_COMPLEX128, "COMPLEX128", "complex128", 16, 0, true, 53, -1022, 1023},
  };
  return all;
}

const DtypeInfo* find_dtype(aclDataType dtype) {
  const auto found = std::ranges::find(all_dtype_infos(), dtype, &DtypeInfo::dtype);
  return found == all_dtype_infos().end() ? nullptr : &*found;
}

bool is_complex(aclDataType dtype) { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128; }

bool is_float(aclDataType dtype) {
  const DtypeInfo* found = find_dtype(dtype);
  return found != nullptr && found->precision > 0 && !is_complex(dtype);
}

bool is_whole(aclDataType dtype) {
  const DtypeInfo* found = find_dtype(dtype);
  return found != nullptr && found->bits > 0;
}

const char* label_of(aclDataType dtype) { return info_of(dtype).label; }

size_t bytes_of(aclDataType dtype) { return info_of(dtype).bytes; }

aclDataType part_of(aclDataType dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
}

Number unit_at(Number x, aclDataType dtype) {
  if (!std::isfinite(x)) return std::numeric_limits<Number>::infinity();
  const DtypeInfo& of = info_of(dtype);
  const int exponent = x == 0 ? of.lowest_exponent
                              : std::clamp(std::ilogb(x), of.lowest_exponent, of.highest_exponent);
  return std::ldexp(Number{1}, exponent - of.precision + 1);
}

Number rounded(Number x, aclDataType dtype) {
  if (dtype == ACL_BOOL) return x != 0 ? 1 : 0;
  const DtypeInfo* to = find_dtype(dtype);
  if (to == nullptr || x == 0) return x;
  if (to->bits > 0) {
    if (std::isnan(x)) return 0;
    const Number limit = std::ldexp(Number{1}, to->is_signed ? to->bits - 1 : to->bits);
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
  if (dtype == ACL_BOOL || to == nullptr || to->bits == 0) return rounded(x, dtype);
  const Number range = std::ldexp(Number{1}, to->bits);
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
