// SPDX-License-Identifier: Apache-2.0
// GEGLU forward and backward. self = [A, B] along the last dimension; out = A * gelu(B). The
// forward's second output, gelu(B), is what the backward needs besides the input:
//   gradInput = [gradOutput * gelu(B), gradOutput * A * gelu'(B)]
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "host.h"

int main() {
  aclrtStream stream = open_device();

  constexpr int64_t kLastDim = -1;
  constexpr int64_t kErfForm = 0;  // 1 is the tanh form
  constexpr bool kActivateLeft = false;
  const std::vector<float> x = {1.0f,  2.0f,  0.5f, -1.0f,  // A = 1, 2   B = 0.5, -1
                                -3.0f, 0.25f, 0.0f, 4.0f};  // A = -3, 0.25   B = 0, 4
  const DeviceTensor self = make_tensor(x, {2, 4});
  const DeviceTensor out = make_tensor(std::vector<float>(4), {2, 2});
  const DeviceTensor gelu = make_tensor(std::vector<float>(4), {2, 2});
  const DeviceTensor grad_output = make_tensor({1.0f, 1.0f, 1.0f, 1.0f}, {2, 2});
  const DeviceTensor grad_input = make_tensor(std::vector<float>(8), {2, 4});

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(aclnnGeGluV3GetWorkspaceSize(self.tensor, kLastDim, kErfForm, kActivateLeft, out.tensor,
                                     gelu.tensor, &workspace_size, &executor),
        "aclnnGeGluV3GetWorkspaceSize");
  run(aclnnGeGluV3, "aclnnGeGluV3", workspace_size, executor, stream);
  check(aclnnGeGluV3BackwardGetWorkspaceSize(grad_output.tensor, self.tensor, gelu.tensor, kLastDim,
                                             kErfForm, kActivateLeft, grad_input.tensor,
                                             &workspace_size, &executor),
        "aclnnGeGluV3BackwardGetWorkspaceSize");
  run(aclnnGeGluV3Backward, "aclnnGeGluV3Backward", workspace_size, executor, stream);

  const std::vector<float> y = read_back(out);
  const std::vector<float> activated = read_back(gelu);
  const std::vector<float> dx = read_back(grad_input);
  std::printf("%8s %8s %10s %10s %10s %10s\n", "A", "B", "gelu(B)", "out", "dA", "dB");
  for (size_t row = 0; row < 2; ++row) {
    for (size_t column = 0; column < 2; ++column) {
      const size_t half = row * 2 + column;
      const size_t left = row * 4 + column;
      for (float value : {x[left], x[left + 2]}) std::printf("%8.2f ", static_cast<double>(value));
      for (float value : {activated[half], y[half], dx[left], dx[left + 2]}) {
        std::printf("%10.6f ", static_cast<double>(value));
      }
      std::printf("\n");
    }
  }

  for (const DeviceTensor& tensor : {self, out, gelu, grad_output, grad_input}) release(tensor);
  close_device(stream);
}
