// SPDX-License-Identifier: Apache-2.0
// A row of the case table: an operator's contract with one of its samples, and its functions in the
// libraries that the program is linked with. The same rows drive the value tests over dtypes and
// layouts, the gradient checks, the benchmarks, and the table of operators in the docs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aclgrad_contract/contracts.h"

namespace aclgrad::cases {

using contract::Arguments;
using contract::Array;
using contract::Arrays;
using contract::count_of;
using contract::Operator;
using contract::Parameter;
using contract::TensorSpec;

using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

class Row {
 public:
  Row(const Operator& op, const contract::Sample& sample);

  const Operator& op() const { return *op_; }
  const std::string& api() const { return op_->name(); }  // "aclnnEluBackward"
  std::string attributes() const { return arguments_.label(); }
  std::string name() const;  // both

  // With the smallest size in the place of kN, or with this one, which is even.
  const Arguments& arguments() const { return arguments_; }
  Arguments of_size(int64_t n) const;

  // In which values are known and tests can read them.
  const contract::DTypes& dtypes() const { return dtypes_; }
  void keep_dtypes(const contract::DTypes& wanted);

  // Inputs first, then the outputs that are none of them.
  const contract::BoundPhaseOne& phase_one() const { return phase_one_; }
  PhaseTwo phase_two() const { return phase_two_; }

  // One element of one of every tensor makes one of the result, all in the dtype under test.
  bool is_elementwise() const;
  // The forward's call with this sample, whose derivative this row is.
  bool is_gradient() const { return op_->gradient.has_value() && arguments_.is_gradient(); }
  Arguments forward(int64_t n) const;

 private:
  const Operator* op_;
  const contract::Sample* sample_;
  Arguments arguments_;
  contract::DTypes dtypes_;
  contract::BoundPhaseOne phase_one_;
  PhaseTwo phase_two_;
};

// The results that a call writes: what it overwrites, and its outputs, in the order of the
// reference.
std::vector<const Parameter*> results_in(const Arguments& arguments);

// Every row there is: of the contracts' samples, and of those for values alone.
const std::vector<Row>& all_cases();
const std::vector<Row>& value_cases();
const Row& find_case(std::string_view name);

}  // namespace aclgrad::cases
