// SPDX-License-Identifier: Apache-2.0
// One row of the case table: an operator with attributes, its tensors, and what it must compute.
// The same rows drive the value tests over dtypes and layouts, the gradient checks, the benchmarks,
// and the table of operators in the docs. All of them are made of the operator book.
#ifndef ACLGRAD_TESTS_CASES_CASE_H_
#define ACLGRAD_TESTS_CASES_CASE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad_contract/contracts.h"

namespace aclgrad::cases {

using contract::Array;
using contract::Arrays;
using contract::count_of;

// A shape for every size in the place of kN, which is even.
using SizedShape = std::function<std::vector<int64_t>(int64_t n)>;
inline std::vector<int64_t> resolve(const SizedShape& shape, int64_t n) { return shape(n); }

// A tensor argument of the row.
struct Slot {
  SizedShape shape;
  // Values are drawn from here; multiples of 1 for integer dtypes.
  long double low = -4;
  long double high = 4;
  std::optional<aclDataType> dtype = std::nullopt;  // when it is not the dtype under test
  std::optional<size_t> aliases = std::nullopt;     // an output that is this input (in place)
};

// Inputs first, then the outputs that alias none of them.
using PhaseOne = std::function<aclnnStatus(std::span<aclTensor* const> tensors,
                                           uint64_t* workspace_size, aclOpExecutor** executor)>;
using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

// The exact results for inputs that are taken as exact, in a dtype and with a size in the place of
// kN. A result without values means that the operator must leave this output as it was.
using Reference = std::function<Arrays(const Arrays& inputs, aclDataType dtype, int64_t size)>;

// How a backward row is the derivative of a forward row: the inputs of the backward, made from
// those of the forward, its exact outputs and the gradient of one of them. The backward's first
// output must be the gradient with respect to the forward's first input.
struct DerivativeOf {
  std::string forward_row;
  size_t result;  // of the forward's, that is differentiated
  std::function<Arrays(const Arrays& inputs, const Arrays& outputs, const Array& gradient)> inputs;
  std::vector<long double> corners = {};  // values of the first input without a derivative
};

struct Case {
  std::string api;         // "aclnnEluBackward"
  std::string attributes;  // "isResult=true"; empty when there is nothing to say
  std::vector<aclDataType> dtypes;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  PhaseOne phase_one;
  PhaseTwo phase_two;
  Reference reference;
  // Of results that have no right values: "" or what is wrong with one.
  std::function<std::string(const Array& result, aclDataType dtype)> property = nullptr;
  // Largest allowed error in ulp of the output's dtype. 16-bit results of elementwise operators
  // must be correctly rounded, which is 0.5 (plus the reference's own error).
  double max_ulp = 1;
  double max_ulp_16bit = 0.500001;
  std::optional<double> max_ulp_double = std::nullopt;  // none: max_ulp
  // For sums that may cancel: the scale on which max_ulp counts, per element of each output.
  std::function<Arrays(const Arrays& inputs, int64_t size)> magnitude = nullptr;
  double least_magnitude_double = 0;  // for DOUBLE that scale is at least this
  std::optional<DerivativeOf> derivative_of = std::nullopt;
  // Of an elementwise row: its entry, and the numbers of its attributes.
  const contract::Operator* entry = nullptr;
  std::vector<long double> numbers = {};

  std::string name() const { return attributes.empty() ? api : api + " " + attributes; }
};

// Every row there is: of the entries' samples, and of those for values alone.
const std::vector<Case>& all_cases();
const std::vector<Case>& value_cases();
const Case& find_case(std::string_view name);

}  // namespace aclgrad::cases

#endif  // ACLGRAD_TESTS_CASES_CASE_H_
