// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/operators.h"

#include <stdexcept>

namespace aclgrad::contract {

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> rows;
    for (const Family& family : book()) {
      rows.insert(rows.end(), family.operators.begin(), family.operators.end());
    }
    return rows;
  }();
  return all;
}

const Operator& find_operator(std::string_view name) {
  for (const Operator& row : operators()) {
    if (row.name == name) return row;
  }
  throw std::invalid_argument("no row is called " + std::string(name));
}

}  // namespace aclgrad::contract
