// SPDX-License-Identifier: Apache-2.0
// One of ONNX's test models: whether it gives what the standard says, and whether its gradients are
// right.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aclgrad::onnx_models {

enum class Outcome { passed, failed, unsupported };
enum class Gradient { none, proven, inconclusive, wrong };

struct Trial {
  std::string name = {};
  std::vector<std::string> operators = {};  // each once, in alphabetical order
  Outcome outcome = Outcome::unsupported;
  std::string reason = {};  // unless it passed
  Gradient gradient = Gradient::none;
  std::string gradient_reason = {};  // unless it is proven
  double seconds = 0;
};

struct Options {
  bool gradients = false;
};

/// Loads a model and runs it on each set of data that lies beside it, in folders test_data_set_*.
Trial try_folder(const std::filesystem::path& folder, const Options& options);

/// The same of a light network, NAME.onnx with NAME_output_0.pb beside it; its inputs are counted
/// from 0 to 1, as ONNX's runner does.
Trial try_light(const std::filesystem::path& path, const Options& options);

}  // namespace aclgrad::onnx_models
