// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/numbers.h"

#include <map>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck/operator.h"

namespace aclgrad::gradcheck {

bool is_float(DType dtype) { return contract::is_float(acl_dtype(dtype)); }

bool is_complex(DType dtype) { return contract::is_complex(acl_dtype(dtype)); }

DType part_of(DType dtype) { return dtype_of(contract::part_of(acl_dtype(dtype))); }

Number ulp(Number x, DType dtype) { return contract::unit_at(x, acl_dtype(dtype)); }

Number round_to(Number x, DType dtype) { return contract::rounded(x, acl_dtype(dtype)); }

Number next_above(Number x, DType dtype) { return contract::next_above(x, acl_dtype(dtype)); }

Number load(const std::byte* data, DType dtype, std::int64_t index) {
  return contract::load(data, acl_dtype(dtype), static_cast<std::size_t>(index));
}

void store(std::byte* data, DType dtype, std::int64_t index, Number value) {
  contract::store(data, acl_dtype(dtype), static_cast<std::size_t>(index), value);
}

std::size_t bytes_of(DType dtype) { return contract::bytes_of(acl_dtype(dtype)); }

std::string dims_text(const Dims& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += "x";
    text += std::to_string(extent);
  }
  return text;
}

std::string_view short_name(DType dtype) {
  const common::DtypeInfo* found = contract::find_dtype(acl_dtype(dtype));
  return found == nullptr ? "another dtype" : found->short_name;
}

DType dtype_from_text(std::string_view text) {
  static const std::map<std::string_view, DType> others = {
      {"float", DType::float32}, {"f32", DType::float32},    {"fp32", DType::float32},
      {"half", DType::float16},  {"f16", DType::float16},    {"fp16", DType::float16},
      {"bf16", DType::bfloat16}, {"double", DType::float64}, {"f64", DType::float64},
      {"fp64", DType::float64},  {"c64", kComplex64},        {"c128", kComplex128},
  };
  std::string lower(text);
  for (char& c : lower) {  // by ASCII: a locale may have another small I
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto other = others.find(lower);
  if (other != others.end()) return other->second;
  std::string known;
  for (const aclDataType each : contract::dtypes_with_numbers()) {
    if (lower == short_name(dtype_of(each))) return dtype_of(each);
    if (!known.empty()) known += ", ";
    known += short_name(dtype_of(each));
  }
  throw DTypeError("no dtype is called '" + std::string(text) + "'; known are " + known);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  // Splitmix64 (Steele, Lea, Flood 2014), keyed by the seed.
  std::uint64_t z = (seed * 0xD1342543DE82EF95u + index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-53;
}

}  // namespace aclgrad::gradcheck
