// SPDX-License-Identifier: Apache-2.0
// What changes from product to product, as data: for the test of every product, operator and dtype,
// and for the page about it.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/contract/call.h"

namespace aclgrad::contract {

struct Product {
  const char* family;  // as ACLGRAD_SOC takes it
  const char* chip;    // what aclrtGetSocName then says
  const char* series;  // as documents call it
  int64_t architecture;
  uint32_t streams;
  bool from_a2_on;
};

inline constexpr std::array kProducts = {
    Product{"Ascend910B", "Ascend910B1", "Atlas A2 (the default)", 2201, 1984, true},
    Product{"Ascend910_93", "Ascend910_9362", "Atlas A3", 2201, 1984, true},
    Product{"Ascend950", "Ascend950PR_9589", "Ascend 950PR, 950DT", 3510, 1984, true},
    Product{"Ascend910", "Ascend910A", "Atlas training", 1001, 2048, false},
    Product{"Ascend310P", "Ascend310P1", "Atlas inference", 2002, 1024, false},
};

// Whether the operator's documents accept the dtype there.
bool accepts(const Operator& row, aclDataType dtype, const Product& product);

// The operator's value under a dtype, in its output's, and how far from it a result may lie.
double exact_value(const Operator& row, aclDataType dtype, aclDataType output_dtype);
double tolerance(double value, aclDataType dtype);

// A rule that holds on some products only: a call that they refuse.
struct ProductRule {
  const char* operator_name;
  const char* what;
  std::function<void(Call& call)> change;  // of the right call in FLOAT
  std::function<bool(const Product& product)> is_refused;
  aclnnStatus status = 161002;  // where it is refused
};

const std::vector<ProductRule>& product_rules();

// The dtypes that the library accepts, "FLOAT FLOAT16 BF16", by operator.
struct DtypeLists {
  std::string from_a2_on;
  std::string before_a2;
};
std::map<std::string, DtypeLists> accepted_dtypes(const Library& library);

// The page docs/reference/products.md.
std::string products_page(const Library& library);

}  // namespace aclgrad::contract
