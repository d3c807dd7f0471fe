// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/contracts.h"

#include <iterator>
#include <stdexcept>

#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

struct All {
  std::vector<Operator> operators;
  std::vector<Family> families;

  All() {
    std::vector<FamilyContracts> described = {
        activation_contracts(),    arithmetic_contracts(), matmul_contracts(),
        linalg_contracts(),        reduction_contracts(),  ordering_contracts(),
        normalization_contracts(), attention_contracts(),  recurrent_contracts(),
        convolution_contracts(),   pooling_contracts(),    resampling_contracts(),
        loss_contracts(),          shape_contracts(),      index_contracts(),
        random_contracts(),        optimizer_contracts()};
    for (FamilyContracts& family : described) {
      operators.insert(operators.end(), std::make_move_iterator(family.operators.begin()),
                       std::make_move_iterator(family.operators.end()));
    }
    FamilyContracts lists = list_contracts(operators);
    operators.insert(operators.end(), lists.operators.begin(), lists.operators.end());
    described.push_back(std::move(lists));
    std::span<const Operator> rest = operators;
    for (FamilyContracts& family : described) {
      families.push_back({std::move(family.title), rest.first(family.operators.size())});
      rest = rest.subspan(family.operators.size());
    }
  }
};

const All& all() {
  static const All all;
  return all;
}

}  // namespace

const std::vector<Operator>& all_contracts() { return all().operators; }
const std::vector<Family>& families() { return all().families; }

const Operator& find_contract(std::string_view name) {
  for (const Operator& op : all_contracts()) {
    if (op.name() == name) return op;
  }
  throw std::invalid_argument("no contract is of " + std::string(name));
}

}  // namespace aclgrad::contract
