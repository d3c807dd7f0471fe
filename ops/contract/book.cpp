// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/book.h"

#include <stdexcept>

#include "contract/describe.h"

namespace aclgrad::contract {

const std::vector<Family>& book() {
  static const std::vector<Family> families = {
      activations(), functions(),     arithmetic(), quotients(), selection(), shapes(),   indices(),
      products(),    normalization(), images(),     losses(),    dropouts(),  optimizer()};
  return families;
}

const Operator& find_entry(std::string_view name) {
  for (const Family& family : book()) {
    for (const Operator& op : family.operators) {
      if (op.name == name) return op;
    }
  }
  throw std::invalid_argument("the operator book has no " + std::string(name));
}

}  // namespace aclgrad::contract
