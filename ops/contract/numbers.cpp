// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aclgrad::contract {
namespace {

struct Dtype {
  aclDataType dtype;
  const char* label;
  int bits;  // of an integer
  bool is_signed;
  int precision;  // of a floating number, with the bit that is implied
  int lowest_exponent;
  int highest_exponent;
};

constexpr Dtype kDtypes[] = {
    {ACL_FLOAT, "FLOAT", 0, true, 24, -126, 127},
    {ACL_FLOAT16, "FLOAT16", 0, true, 11, -14, 15},
    {ACL_BF16, "BF16", 0, true, 8, -126, 127},
    {ACL_DOUBLE, "DOUBLE", 0, true, 53, -1022, 1023},
    {ACL_COMPLEX64, "COMPLEX64", 0, true, 24, -126, 127},
    {ACL_COMPLEX128, "COMPLEX128", 0, true, 53, -1022, 1023},
    {ACL_INT8, "INT8", 8, true, 0, 0, 0},
    {ACL_INT16, "INT16", 16, true, 0, 0, 0},
    {ACL_INT32, "INT32", 32, true, 0, 0, 0},
    {ACL_INT64, "INT64", 64, true, 0, 0, 0},
    {ACL_UINT8, "UINT8", 8, false, 0, 0, 0},
    {ACL_UINT16, "UINT16", 16, false, 0, 0, 0},
    {ACL_UINT32, "UINT32", 32, false, 0, 0, 0},
    {ACL_UINT64, "UINT64", 64, false, 0, 0, 0},
    {ACL_BOOL, "BOOL", 1, false, 0, 0, 0},
};

const Dtype* find(aclDataType dtype) {
  const auto found = std::ranges::find(kDtypes, dtype, &Dtype::dtype);
  return found == std::end(kDtypes) ? nullptr : found;
}

}  // namespace

bool is_complex(aclDataType dtype) { return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128; }

bool is_float(aclDataType dtype) {
  const Dtype* found = find(dtype);
  return found != nullptr && found->precision > 0 && !is_complex(dtype);
}

bool is_whole(aclDataType dtype) {
  const Dtype* found = find(dtype);
  return found != nullptr && found->bits > 0;
}

const char* label_of(aclDataType dtype) {
  const Dtype* found = find(dtype);
  return found == nullptr ? "another dtype" : found->label;
}

Number unit_at(Number x, aclDataType dtype) {
  const Dtype& of = *find(dtype);
  const int exponent = x == 0 ? of.lowest_exponent
                              : std::clamp(std::ilogb(x), of.lowest_exponent, of.highest_exponent);
  return std::ldexp(Number{1}, exponent - of.precision + 1);
}

Number rounded(Number x, aclDataType dtype) {
  if (dtype == ACL_BOOL) return x != 0 ? 1 : 0;
  const Dtype* to = find(dtype);
  if (to == nullptr || x == 0 || std::isnan(x)) return x;
  if (to->bits > 0) {
    const Number limit = std::ldexp(Number{1}, to->is_signed ? to->bits - 1 : to->bits);
    return std::clamp(std::trunc(x), to->is_signed ? -limit : Number{0}, limit - 1);
  }
  if (std::isinf(x)) return x;
  const Number unit = unit_at(x, dtype);
  const Number nearest = std::nearbyint(x / unit) * unit;
  const bool overflows = std::abs(nearest) >= std::ldexp(Number{1}, to->highest_exponent + 1);
  return overflows ? std::copysign(std::numeric_limits<Number>::infinity(), x) : nearest;
}

Number wrapped(Number x, aclDataType dtype) {
  const Dtype* to = find(dtype);
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

}  // namespace aclgrad::contract
