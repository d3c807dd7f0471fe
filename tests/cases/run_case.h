// SPDX-License-Identifier: Apache-2.0
// Runs a row of the case table on the library: makes its tensors in a layout, calls both phases,
// and gives back what the operator really read and wrote.
#ifndef ACLGRAD_TESTS_CASES_RUN_CASE_H_
#define ACLGRAD_TESTS_CASES_RUN_CASE_H_

#include "tests/cases/case.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::cases {

// How the tensors of a row lie in memory; all outputs, and inputs where it makes sense.
enum class Layout { kContiguous, kTransposed, kStrided, kOffset };
inline constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kStrided,
                                      Layout::kOffset};
const char* layout_name(Layout layout);

// The name of a test of the row with this number, in letters that GoogleTest takes.
std::string test_name(const ::testing::TestParamInfo<size_t>& row);

struct RunResult {
  Arrays inputs;                // as stored, rounded to the dtype
  Arrays outputs;               // as read back
  std::vector<bool> untouched;  // outputs of which no byte changed
  int64_t size = 0;             // what stood for kN
  bool wrote_outside = false;   // memory of an output that no element of it covers was changed
};

// What stands for kN, unless another size is asked for; even.
inline constexpr int64_t kTestSize = 6;

// Inputs are drawn from the row's domains by `seed`, unless `inputs` gives them.
RunResult run_case(const Case& row, aclDataType dtype, Layout layout, aclrtStream stream,
                   uint64_t seed = 1, const Arrays* inputs = nullptr, int64_t size = kTestSize);

// What is wrong with the outputs, in words: a number too far from the row's reference, an output
// that should not have been touched, memory that is none of the outputs'. "" when all is well.
std::string judge(const Case& row, aclDataType dtype, const RunResult& run);

// Values of a row's inputs, rounded to nothing yet.
Arrays draw_inputs(const Case& row, aclDataType dtype, uint64_t seed, int64_t size = kTestSize);

}  // namespace aclgrad::cases

#endif  // ACLGRAD_TESTS_CASES_RUN_CASE_H_
