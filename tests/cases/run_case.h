// SPDX-License-Identifier: Apache-2.0
// Runs a row of the case table on the library: makes its tensors in a layout, calls both phases,
// and gives back what the operator really read and wrote.
#ifndef ACLGRAD_TESTS_CASES_RUN_CASE_H_
#define ACLGRAD_TESTS_CASES_RUN_CASE_H_

#include "tests/cases/case.h"
#include "tests/ops/support/layouts.h"

namespace aclgrad::cases {

using testing::LayoutKind;

// How the tensors of a row lie in memory: inputs, then outputs of their own; the last one given is
// that of all that follow.
using Layouts = std::vector<LayoutKind>;
inline const Layouts kAllContiguous = {LayoutKind::kContiguous};
std::string to_string(const Layouts& layouts);
// All inputs in one and all outputs in one; an input that is an output too cannot hold an element
// in several places.
Layouts layouts_of(const Case& row, LayoutKind inputs, LayoutKind outputs);

// Rows for a suite, all of the table or those that are chosen, and the names of their tests in
// letters that GoogleTest takes.
std::vector<const Case*> cases_of(const std::vector<Case>& table,
                                  const std::function<bool(const Case&)>& chosen = nullptr);
std::string test_name(const ::testing::TestParamInfo<const Case*>& row);

struct RunResult {
  Arrays inputs;                // as stored, rounded to the dtype
  Arrays outputs;               // as read back
  std::vector<bool> untouched;  // outputs of which no byte changed
  int64_t size = 0;             // what stood for kN
  // Memory of an output that no element of it covers was changed, or an input.
  bool wrote_outside = false;
};

// What stands for kN, unless another size is asked for; even.
inline constexpr int64_t kTestSize = 6;
// The same for tensors that threads share; kTestSize where nothing grows.
int64_t large_size(const Case& row);

// Inputs are drawn from the row's domains by `seed`, unless `inputs` gives them.
RunResult run_case(const Case& row, aclDataType dtype, const Layouts& layouts, aclrtStream stream,
                   uint64_t seed = 1, const Arrays* inputs = nullptr, int64_t size = kTestSize);

// The row with tensors of DOUBLE in the place of those that are FLOAT whatever the dtype under
// test.
Case in_double(Case row);

// What is wrong with the outputs, in words: a number too far from the row's reference, an output
// that should not have been touched, memory that is none of the outputs'. "" when all is well.
std::string judge(const Case& row, aclDataType dtype, const RunResult& run);

// Values of a row's inputs, rounded to nothing yet.
Arrays draw_inputs(const Case& row, aclDataType dtype, uint64_t seed, int64_t size = kTestSize);

}  // namespace aclgrad::cases

#endif  // ACLGRAD_TESTS_CASES_RUN_CASE_H_
