// SPDX-License-Identifier: Apache-2.0
// Saves a layer as ONNX, loads it, and compares what both make of a number.
#include <aclgrad/aclgrad.h>
#include <aclgrad/onnx.h>

#include <cstdio>
#include <filesystem>

int main() {
  using namespace aclgrad;
  const std::filesystem::path path = "exchange.onnx";
  const Linear layer("layer", 3, 2, {.seed = 1});
  onnx::save(path, layer, onnx::Example("x", {1, 3}));
  const onnx::Model model = onnx::load(path);
  std::filesystem::remove(path);
  const Tensor x = Tensor::from({2, 3}, {1, -2, 3, 0.5, 0, -1});
  const Tensor wanted = Predictor(layer)(x), found = Predictor(model)(x);
  std::printf("%s\n", to_string(found).c_str());
  return bitwise_equal(found, wanted) ? 0 : 1;
}
