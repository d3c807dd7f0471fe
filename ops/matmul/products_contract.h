// SPDX-License-Identifier: Apache-2.0
// What the contracts of products share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline constexpr int kKeepsDtype = 0;  // values of cubeMathType
inline constexpr int kUsesHf32 = 3;

// Two products have no unit for products in FLOAT.
inline bool lacks_float(const Arguments& a, std::string_view product, aclDataType dtype) {
  const bool is_old = product == "Ascend910" || product == "Ascend310P";
  const Number type = a.number("cubeMathType");
  return is_old && dtype == ACL_FLOAT && (type == kKeepsDtype || type == kUsesHf32);
}

inline Parameter factor(std::string name, Shape shape, double value = 1) {
  return any_dtype(filled(shaped(in(std::move(name)), std::move(shape)), value));
}

// Any order of a sum of K products in FLOAT stays within K + 2 roundings of the terms; an addend is
// one more term.
inline Results products(const char* first,
                        Array (*of)(const Arguments&, const Arrays&, bool magnitudes),
                        double roundings) {
  return {
      .reference = [of](const Arguments& a, const Arrays& in) { return Arrays{of(a, in, false)}; },
      .bound = {.of_float = roundings, .of_16_bits = 0.51},
      .roundings =
          [first](const Arguments& a) { return static_cast<double>(a.shape(first).back()); },
      .magnitude = [of](const Arguments& a, const Arrays& in) { return Arrays{of(a, in, true)}; }};
}

inline const std::vector<ErrorInput> kBadTypes = {
    refused("cubeMathType", "= 5", int64_t{5}, "[0, 4]"),
    refused("cubeMathType", "= -1", int64_t{-1}, "[0, 4]"),
    refused("cubeMathType", "= 0", int64_t{0}, "DT_FLOAT", "Ascend910")};

inline Sample with_type(double cube_math_type, Sample sample = {}) {
  sample.settings.emplace_back("cubeMathType", cube_math_type);
  return sample;
}

// The one of the right call, which every product takes.
inline Parameter cube_math_type() { return declared(integer("cubeMathType", 1), "int8_t"); }

// In vectors_contract.cpp.
void add_vector_products(std::vector<Operator>& all);

}  // namespace aclgrad::contract
