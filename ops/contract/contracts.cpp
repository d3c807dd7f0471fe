// SPDX-License-Identifier: Apache-2.0
#include "aclgrad_contract/contracts.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>

#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

// "foreach_add_list" of "aclnnForeachAddList".
std::string name_from_function(std::string_view function) {
  function.remove_prefix(std::string_view("aclnn").size());
  std::string name;
  for (const char c : function) {
    const bool is_capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (is_capital && !name.empty()) name += '_';
    name += is_capital ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return name;
}

// The tool's name of an operator that gives itself none is that of its function. Forms are checked
// with their operator, and what has a gradient operator under the name of that.
void give_names(std::vector<Operator>& operators) {
  for (Operator& op : operators) {
    const auto differentiates = [&](const Operator& other) {
      return other.gradient && other.gradient->of == op.name() && !other.words.check.empty();
    };
    if (!op.words.check.empty() || !op.call.form_of.empty() || op.gradient) continue;
    if (std::ranges::any_of(operators, differentiates)) continue;
    op.words.check = name_from_function(op.name());
  }
}

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
    give_names(operators);
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
