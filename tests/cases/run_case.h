// SPDX-License-Identifier: Apache-2.0
// Runs a row of the case table on the library: makes its tensors in a layout, calls both phases,
// and gives back what the operator really read and wrote.
#pragma once

#include <functional>

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
Layouts layouts_of(const Row& row, LayoutKind inputs, LayoutKind outputs);

// Rows for a suite, all of the table or those that are chosen, and the names of their tests in
// letters that GoogleTest takes.
std::vector<const Row*> cases_of(const std::vector<Row>& table,
                                 const std::function<bool(const Row&)>& chosen = nullptr);
std::string test_name(const ::testing::TestParamInfo<const Row*>& row);

struct RunResult {
  Arrays inputs;                // as stored, rounded to the dtype
  Arrays outputs;               // as read back
  std::vector<bool> untouched;  // outputs of which no byte changed
  // Memory of an output that no element of it covers was changed, or an input.
  bool wrote_outside = false;
};

// An element of an output that was not written.
long double untouched(aclDataType dtype);

// What stands for kN, unless another size is asked for; even.
inline constexpr int64_t kTestSize = 6;
// kTestSize for tensors that threads share; kTestSize where nothing grows.
int64_t large_size(const Row& row);

// A call of the row's functions. Inputs are drawn from its domains by `seed`, unless `inputs` gives
// them.
RunResult run_case(const Row& row, const Arguments& call, aclDataType dtype, const Layouts& layouts,
                   aclrtStream stream, uint64_t seed = 1, const Arrays* inputs = nullptr);
// The row's own, of a size.
RunResult run_case(const Row& row, aclDataType dtype, const Layouts& layouts, aclrtStream stream,
                   uint64_t seed = 1, const Arrays* inputs = nullptr, int64_t size = kTestSize);

// The call with tensors of DOUBLE in the place of those that are FLOAT whatever the dtype under
// test.
Arguments in_double(Arguments call);

// What is wrong with the outputs, in words: a number too far from the contract's reference, an
// output that should not have been touched, memory that is none of the outputs'. "" when all is
// well. In DOUBLE errors count on a scale of at least `least_magnitude`.
std::string difference(const Arguments& call, aclDataType dtype, const RunResult& run,
                       const contract::Bound& bound, double least_magnitude);
std::string difference(const Row& row, aclDataType dtype, const RunResult& run,
                       int64_t size = kTestSize);

inline bool has_above(const Arrays& arrays, size_t elements) {
  return std::ranges::any_of(arrays, [=](const Array& x) { return x.values.size() > elements; });
}
// Attention's triangle is given as a mask of 2^22 elements, whatever the sizes, and none is read.
inline bool has_unread_mask(const Arrays& inputs) { return has_above(inputs, 1'000'000); }

// Values of a call's inputs, rounded to nothing yet.
Arrays draw_inputs(const Arguments& call, aclDataType dtype, uint64_t seed);

}  // namespace aclgrad::cases
