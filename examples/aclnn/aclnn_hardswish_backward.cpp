// SPDX-License-Identifier: Apache-2.0
// The gradient of Hardswish in both versions. They differ at exactly -3 and 3 only, where the
// function has a corner: version 1 takes the slope inside, version 2 the slope outside.
#include "aclnnop/aclnn_hardswish_backward.h"

#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "host.h"

namespace {

using PhaseOne = aclnnStatus (*)(const aclTensor*, const aclTensor*, aclTensor*, uint64_t*,
                                 aclOpExecutor**);

std::vector<float> slope(PhaseOne phase_one, PhaseTwo phase_two, const char* name,
                         const std::vector<float>& x, aclrtStream stream) {
  const std::vector<int64_t> shape = {static_cast<int64_t>(x.size())};
  const DeviceTensor grad_output = make_tensor(std::vector<float>(x.size(), 1.0f), shape);
  const DeviceTensor self = make_tensor(x, shape);
  const DeviceTensor out = make_tensor(std::vector<float>(x.size()), shape);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(phase_one(grad_output.tensor, self.tensor, out.tensor, &workspace_size, &executor), name);
  run(phase_two, name, workspace_size, executor, stream);
  std::vector<float> values = read_back(out);
  for (const DeviceTensor& tensor : {grad_output, self, out}) release(tensor);
  return values;
}

}  // namespace

int main() {
  aclrtStream stream = open_device();
  const std::vector<float> x = {-4.0f, -3.0f, -1.5f, 0.0f, 1.5f, 3.0f, 4.0f};
  const std::vector<float> closed =
      slope(aclnnHardswishBackwardGetWorkspaceSize, aclnnHardswishBackward,
            "aclnnHardswishBackward", x, stream);
  const std::vector<float> open =
      slope(aclnnHardswishBackwardV2GetWorkspaceSize, aclnnHardswishBackwardV2,
            "aclnnHardswishBackwardV2", x, stream);
  std::printf("%6s %12s %12s\n", "x", "version 1", "version 2");
  for (size_t i = 0; i < x.size(); ++i) {
    std::printf("%6.1f %12.6f %12.6f\n", static_cast<double>(x[i]), static_cast<double>(closed[i]),
                static_cast<double>(open[i]));
  }
  close_device(stream);
}
