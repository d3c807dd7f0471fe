// SPDX-License-Identifier: Apache-2.0
// Every backward that is given something else than its forward's inputs, or is 0 with some of them,
// behind that forward, with what it made: to be recorded.
#include <algorithm>

#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

void run_pair(const Operator& op, const contract::Sample& sample, aclDataType dtype,
              aclrtStream stream) {
  const Row forward(contract::find_contract(op.gradient->of), sample);
  const Row backward(op, sample);
  if (std::ranges::count(backward.dtypes(), dtype) == 0) return;
  // The forward has an outputSize, which these repeats of one number change.
  if (backward.arguments().has("repeats") &&
      backward.arguments().shape("repeats") == contract::Shape{1})
    return;
  const Arguments call = forward.of_size(kTestSize);
  const RunResult made = run_case(forward, dtype, kAllContiguous, stream);
  Array gradient = made.outputs.at(contract::differentiated_result(call));
  for (size_t i = 0; i < gradient.values.size(); ++i)
    gradient.values[i] = 0.5L + static_cast<long double>(i * 7 % 5) / 4;
  const Arrays given =
      contract::backward_inputs(backward.of_size(kTestSize), made.inputs, made.outputs, gradient);
  run_case(backward, dtype, kAllContiguous, stream, 0, &given);
}

void run_all(aclrtStream stream) {
  for (const Operator& op : contract::all_contracts()) {
    if (!op.gradient || (!op.gradient->inputs && !op.gradient->is_zero)) continue;
    for (const contract::Sample& sample : op.domain.samples) {
      if (!sample.is_gradient) continue;
      for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) run_pair(op, sample, dtype, stream);
    }
  }
}

}  // namespace
}  // namespace aclgrad::cases

int main() {
  aclrtStream stream = nullptr;
  if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) return 1;
  aclgrad::cases::run_all(stream);
  return aclrtDestroyStream(stream);
}
