// SPDX-License-Identifier: Apache-2.0
// Contracts of functions over lists, out of those of single operators.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/contract/describe.h"

namespace aclgrad::contract {

// The dtypes that every product takes, and the numbers that stand beside lists, the second one
// where each member has its own.
struct ListMembers {
  DTypes dtypes = kFloats;
  double numbers[2] = {3, -0.75};
  std::string in_graph = {};  // as Words has them
  std::string check = {};
};

class Lists {
 public:
  Lists(std::vector<Operator>& all, std::span<const Operator> others)
      : all_(all), others_(others) {}

  // What `single` does for every member. The parameters' names are those of the header, with the
  // result last; what they are follows from their types in C and from the single operator.
  void add(Signature call, const std::vector<std::string>& names, const std::string& single,
           const ListMembers& members = {});

 private:
  std::vector<Operator>& all_;
  std::span<const Operator> others_;
};

void add_list_functions(Lists& lists);
void add_list_operands(Lists& lists);
void add_fused_sgd(std::vector<Operator>& all);

}  // namespace aclgrad::contract
