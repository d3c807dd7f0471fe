// SPDX-License-Identifier: Apache-2.0
// The activation operators for tests that treat them all alike: what tensors each takes and gives,
// and how it is called.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad::testing {

// A tensor of an operator; of one that is twice as long along dim, a half.
struct TensorHalf {
  size_t tensor = 0;
  bool second_half = false;
};

// An operator as a function of x, and of a factor that the result is proportional to (the gradient
// of a backward; the half that GEGLU does not put through gelu).
struct Activation {
  using Tensors = std::vector<aclTensor*>;

  std::string name;
  // One entry per tensor: 1, or 2 where it is twice as long along dim.
  std::vector<int> inputs;
  std::vector<int> outputs;
  TensorHalf x = {};  // an input
  std::vector<TensorHalf> factors =
      {};                  // inputs; the first is the factor of tests that vary only one
  TensorHalf result = {};  // an output
  std::function<aclnnStatus(const Tensors& in, const Tensors& out, int64_t dim, uint64_t* size,
                            aclOpExecutor** executor)>
      phase_one;
  aclnnStatus (*phase_two)(void*, uint64_t, aclOpExecutor*, aclrtStream);
};

// What the ELU rows are called with.
struct EluScalars {
  float alpha = 1;
  float scale = 1;
  float input_scale = 1;
};

namespace activations {

inline Activation forward(std::string name, auto get_workspace, auto phase_two) {
  return {.name = std::move(name),
          .inputs = {1},
          .outputs = {1},
          .x = {0},
          .result = {0},
          .phase_one =
              [get_workspace](const Activation::Tensors& in, const Activation::Tensors& out,
                              int64_t, uint64_t* size, aclOpExecutor** executor) {
                return get_workspace(in[0], out[0], size, executor);
              },
          .phase_two = phase_two};
}

// The gradient comes first.
inline Activation backward(std::string name, auto get_workspace, auto phase_two) {
  return {.name = std::move(name),
          .inputs = {1, 1},
          .outputs = {1},
          .x = {1},
          .factors = {{0}},
          .result = {0},
          .phase_one =
              [get_workspace](const Activation::Tensors& in, const Activation::Tensors& out,
                              int64_t, uint64_t* size, aclOpExecutor** executor) {
                return get_workspace(in[0], in[1], out[0], size, executor);
              },
          .phase_two = phase_two};
}

// Calls call(alpha, scale, inputScale) with host scalars.
inline aclnnStatus with_scalars(EluScalars values, auto call) {
  aclScalar* const alpha = aclCreateScalar(&values.alpha, ACL_FLOAT);
  aclScalar* const scale = aclCreateScalar(&values.scale, ACL_FLOAT);
  aclScalar* const input_scale = aclCreateScalar(&values.input_scale, ACL_FLOAT);
  const aclnnStatus status = call(alpha, scale, input_scale);
  for (const aclScalar* scalar : {alpha, scale, input_scale}) aclDestroyScalar(scalar);
  return status;
}

inline Activation elu(std::string name, EluScalars scalars) {
  return forward(
      std::move(name),
      [=](aclTensor* x, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return with_scalars(scalars, [&](auto* alpha, auto* scale, auto* input_scale) {
          return aclnnEluGetWorkspaceSize(x, alpha, scale, input_scale, out, size, executor);
        });
      },
      aclnnElu);
}

inline Activation elu_backward(std::string name, EluScalars scalars, bool is_result) {
  return backward(
      std::move(name),
      [=](aclTensor* g, aclTensor* x, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return with_scalars(scalars, [&](auto* alpha, auto* scale, auto* input_scale) {
          return aclnnEluBackwardGetWorkspaceSize(g, alpha, scale, input_scale, is_result, x, out,
                                                  size, executor);
        });
      },
      aclnnEluBackward);
}

inline Activation gelu(std::string name, int64_t approximate) {
  return forward(
      std::move(name),
      [=](aclTensor* x, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeluV2GetWorkspaceSize(x, approximate, out, size, executor);
      },
      aclnnGeluV2);
}

inline Activation gelu_backward(std::string name, std::string approximate) {
  return backward(
      std::move(name),
      [=](aclTensor* g, aclTensor* x, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
        return aclnnGeluBackwardV2GetWorkspaceSize(g, x, std::string(approximate).data(), out, size,
                                                   executor);
      },
      aclnnGeluBackwardV2);
}

enum class GegluOutput { kProduct, kGelu };

inline Activation geglu(std::string name, int64_t approximate, bool activate_left,
                        GegluOutput wanted) {
  Activation result{.name = std::move(name),
                    .inputs = {2},
                    .outputs = {1, 1},
                    .x = {0, !activate_left},
                    .result = {wanted == GegluOutput::kProduct ? size_t{0} : size_t{1}},
                    .phase_one =
                        [=](const Activation::Tensors& in, const Activation::Tensors& out,
                            int64_t dim, uint64_t* size, aclOpExecutor** executor) {
                          return aclnnGeGluV3GetWorkspaceSize(in[0], dim, approximate,
                                                              activate_left, out[0], out[1], size,
                                                              executor);
                        },
                    .phase_two = aclnnGeGluV3};
  if (wanted == GegluOutput::kProduct) result.factors = {{0, activate_left}};
  return result;
}

// The gradient of the half that goes through gelu, g * other half * gelu'(x), or of the other half,
// g * gelu, where gelu is the x.
enum class GegluGradient { kActivated, kOther };

inline Activation geglu_backward(std::string name, int64_t approximate, bool activate_left,
                                 GegluGradient wanted) {
  Activation result{.name = std::move(name),
                    .inputs = {1, 2, 1},
                    .outputs = {2},
                    .phase_one =
                        [=](const Activation::Tensors& in, const Activation::Tensors& out,
                            int64_t dim, uint64_t* size, aclOpExecutor** executor) {
                          return aclnnGeGluV3BackwardGetWorkspaceSize(in[0], in[1], in[2], dim,
                                                                      approximate, activate_left,
                                                                      out[0], size, executor);
                        },
                    .phase_two = aclnnGeGluV3Backward};
  if (wanted == GegluGradient::kActivated) {
    result.x = {1, !activate_left};
    result.factors = {{0}, {1, activate_left}};
    result.result = {0, !activate_left};
  } else {
    result.x = {2};
    result.factors = {{0}};
    result.result = {0, activate_left};
  }
  return result;
}

}  // namespace activations

// Every operator in every mode. The name is the operator's, with the mode behind it.
inline std::vector<Activation> all_activations() {
  using namespace activations;
  constexpr EluScalars kOdd{1.5f, 1.25f, 0.75f};
  constexpr auto kProduct = GegluOutput::kProduct;
  constexpr auto kActivated = GegluGradient::kActivated;
  return {
      forward("aclnnSelu", aclnnSeluGetWorkspaceSize, aclnnSelu),
      backward("aclnnSeluBackward", aclnnSeluBackwardGetWorkspaceSize, aclnnSeluBackward),
      elu("aclnnElu", {}),
      elu("aclnnElu, odd scalars", kOdd),
      elu_backward("aclnnEluBackward", {}, false),
      elu_backward("aclnnEluBackward, odd scalars", kOdd, false),
      elu_backward("aclnnEluBackward isResult", {}, true),
      elu_backward("aclnnEluBackward isResult, odd scalars", kOdd, true),
      forward("aclnnHardswish", aclnnHardswishGetWorkspaceSize, aclnnHardswish),
      backward("aclnnHardswishBackward", aclnnHardswishBackwardGetWorkspaceSize,
               aclnnHardswishBackward),
      backward("aclnnHardswishBackwardV2", aclnnHardswishBackwardV2GetWorkspaceSize,
               aclnnHardswishBackwardV2),
      forward("aclnnGelu", aclnnGeluGetWorkspaceSize, aclnnGelu),
      backward("aclnnGeluBackward", aclnnGeluBackwardGetWorkspaceSize, aclnnGeluBackward),
      gelu("aclnnGeluV2 none", 0),
      gelu("aclnnGeluV2 tanh", 1),
      gelu_backward("aclnnGeluBackwardV2 none", "none"),
      gelu_backward("aclnnGeluBackwardV2 tanh", "tanh"),
      geglu("aclnnGeGluV3 none", 0, false, kProduct),
      geglu("aclnnGeGluV3 tanh", 1, false, kProduct),
      geglu("aclnnGeGluV3 none, activateLeft", 0, true, kProduct),
      geglu("aclnnGeGluV3 tanh, activateLeft", 1, true, kProduct),
      geglu_backward("aclnnGeGluV3Backward none", 0, false, kActivated),
      geglu_backward("aclnnGeGluV3Backward tanh", 1, false, kActivated),
      geglu_backward("aclnnGeGluV3Backward none, activateLeft", 0, true, kActivated),
      geglu_backward("aclnnGeGluV3Backward tanh, activateLeft", 1, true, kActivated),
  };
}

// GEGLU's results that are not the first: what the forward keeps, and the gradient of the half that
// does not go through gelu (where gelu is the x).
inline std::vector<Activation> other_results_of_geglu() {
  using namespace activations;
  return {
      geglu("aclnnGeGluV3 none, outGelu", 0, false, GegluOutput::kGelu),
      geglu("aclnnGeGluV3 tanh, outGelu", 1, false, GegluOutput::kGelu),
      geglu_backward("aclnnGeGluV3Backward, other half", 0, false, GegluGradient::kOther),
      geglu_backward("aclnnGeGluV3Backward, other half, activateLeft", 1, true,
                     GegluGradient::kOther),
  };
}

}  // namespace aclgrad::testing
