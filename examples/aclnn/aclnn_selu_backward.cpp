// SPDX-License-Identifier: Apache-2.0
// The gradient of SELU through aclnnSeluBackward, which takes the forward's OUTPUT y:
//   gradInput = gradOutput * lambda               for y >= 0
//   gradInput = gradOutput * (y + lambda*alpha)   for y < 0
#include "aclnnop/aclnn_selu_backward.h"

#include "host.h"

int main() {
  aclrtStream stream = open_device();

  const std::vector<int64_t> shape = {2, 3};
  const std::vector<float> y = {-1.7f, -1.0f, -0.25f, 0.0f, 0.5f, 2.0f};
  const std::vector<float> g = {1.0f, 1.0f, 2.0f, 1.0f, -1.0f, 0.5f};
  const DeviceTensor grad_output = make_tensor(g, shape);
  const DeviceTensor result = make_tensor(y, shape);
  const DeviceTensor grad_input = make_tensor(std::vector<float>(y.size()), shape);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnSeluBackwardGetWorkspaceSize(grad_output.tensor, result.tensor, grad_input.tensor,
                                          &workspace_size, &executor),
        "aclnnSeluBackwardGetWorkspaceSize");
  run(aclnnSeluBackward, "aclnnSeluBackward", workspace_size, executor, stream);

  const std::vector<float> dx = read_back(grad_input);
  std::printf("%10s %12s %12s\n", "y", "gradOutput", "gradInput");
  for (size_t i = 0; i < dx.size(); ++i) {
    std::printf("%10.4f %12.4f %12.6f\n", static_cast<double>(y[i]), static_cast<double>(g[i]),
                static_cast<double>(dx[i]));
  }

  for (const DeviceTensor& tensor : {grad_output, result, grad_input}) release(tensor);
  close_device(stream);
}
