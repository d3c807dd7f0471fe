// SPDX-License-Identifier: Apache-2.0
// The gradient of ELU, once from the forward's input and once from its output (isResult). With
// scale = inputScale = 1 both are gradOutput * alpha*e^x for x <= 0 and gradOutput for x > 0.
#include "aclnnop/aclnn_elu_backward.h"

#include <cmath>

#include "host.h"

namespace {

constexpr float kAlpha = 1.5f;

std::vector<float> elu_backward(const std::vector<float>& g,
                                const std::vector<float>& self_or_result, bool is_result,
                                aclrtStream stream) {
  const std::vector<int64_t> shape = {static_cast<int64_t>(g.size())};
  const DeviceTensor grad_output = make_tensor(g, shape);
  const DeviceTensor self = make_tensor(self_or_result, shape);
  const DeviceTensor grad_input = make_tensor(std::vector<float>(g.size()), shape);
  aclScalar* alpha = make_scalar(kAlpha);
  aclScalar* scale = make_scalar(1.0f);
  aclScalar* input_scale = make_scalar(1.0f);

  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  check(
      aclnnEluBackwardGetWorkspaceSize(grad_output.tensor, alpha, scale, input_scale, is_result,
                                       self.tensor, grad_input.tensor, &workspace_size, &executor),
      "aclnnEluBackwardGetWorkspaceSize");
  run(aclnnEluBackward, "aclnnEluBackward", workspace_size, executor, stream);
  std::vector<float> dx = read_back(grad_input);

  for (aclScalar* scalar : {alpha, scale, input_scale}) aclDestroyScalar(scalar);
  for (const DeviceTensor& tensor : {grad_output, self, grad_input}) release(tensor);
  return dx;
}

}  // namespace

int main() {
  aclrtStream stream = open_device();
  const std::vector<float> x = {-4.0f, -1.0f, -0.5f, 0.0f, 0.5f, 3.0f};
  const std::vector<float> g(x.size(), 1.0f);
  std::vector<float> y;
  for (float value : x) y.push_back(value > 0 ? value : kAlpha * std::expm1(value));

  const std::vector<float> from_input = elu_backward(g, x, false, stream);
  const std::vector<float> from_result = elu_backward(g, y, true, stream);
  std::printf("%8s %10s %16s %16s\n", "x", "y", "from input", "from result");
  for (size_t i = 0; i < x.size(); ++i) {
    std::printf("%8.2f %10.6f %16.7f %16.7f\n", static_cast<double>(x[i]),
                static_cast<double>(y[i]), static_cast<double>(from_input[i]),
                static_cast<double>(from_result[i]));
  }
  close_device(stream);
}
