// SPDX-License-Identifier: Apache-2.0
// What only certain operators check: attributes, and shapes that must fit together.
#include <map>

#include "tests/contract/operator_faults.h"

namespace aclgrad::contract {
namespace {

using Faults = std::vector<OperatorFault>;

OperatorFault integer(size_t parameter, int64_t value, std::vector<std::string> words,
                      const char* product = "Ascend910B") {
  return {"= " + std::to_string(value),
          parameter,
          [=](Call& call) { call.values()[parameter] = value; },
          161002,
          std::move(words),
          false,
          ACL_FLOAT,
          product};
}

// Tensors of other shapes, in the call's dtype.
OperatorFault shapes(size_t parameter, std::vector<std::pair<size_t, Shape>> list,
                     std::vector<std::string> words,
                     std::vector<std::pair<size_t, int64_t>> integers = {},
                     const char* product = "Ascend910B") {
  return {"of another shape",
          parameter,
          [=](Call& call) {
            for (const auto& [i, shape] : list) {
              call.values()[i] = call.tensor(shape, call.dtype_of(i));
            }
            for (const auto& [i, value] : integers) call.values()[i] = value;
          },
          161002,
          std::move(words),
          false,
          ACL_FLOAT,
          product};
}

const std::map<std::string, Faults>& table() {
  static const std::map<std::string, Faults> faults = {
      {"aclnnMseLoss", {integer(2, 3, {"is 3"})}},
      {"aclnnMseLossOut", {integer(2, -1, {"is -1"})}},
      {"aclnnMseLossBackward", {integer(3, 3, {"is 3"})}},
      {"aclnnLogSoftmax", {integer(1, 2, {"[-2, 1]"})}},
      {"aclnnLogSoftmaxBackward", {integer(2, -3, {"[-2, 1]"})}},
      {"aclnnSoftmax", {integer(1, -3, {"[-2, 1]"})}},
      {"aclnnSoftmaxBackward", {integer(2, 2, {"[-2, 1]"})}},
      {"aclnnLayerNorm",
       {{"of another dtype than weightOptional's",
         3,
         [](Call& call) {
           call.values()[2] = call.tensor({3}, ACL_FLOAT);
           call.values()[3] = call.tensor({3}, ACL_FLOAT16);
         },
         161002,
         {"same dtype"},
         false,
         ACL_FLOAT16},
        {"without sizes",
         1,
         [](Call& call) { call.values()[1] = call.int_array({}); },
         161002,
         {"[]"}}}},
      {"aclnnLayerNormBackward",
       {{"of more sizes than input",
         2,
         [](Call& call) {
           call.values()[2] = call.int_array({1, 2, 3});
         },
         161002,
         {"[1, 2, 3]"}}}},
      {"aclnnNLLLoss", {integer(3, 3, {"is 3"}), shapes(0, {{0, {2, 0}}, {2, {0}}}, {"[2, 0]"})}},
      {"aclnnNLLLossBackward",
       {integer(4, 3, {"is 3"}), shapes(1, {{1, {2, 0}}, {3, {0}}, {7, {2, 0}}}, {"[2, 0]"})}},
  };
  return faults;
}

}  // namespace

std::vector<OperatorFault> own_faults_of(const std::string& name) {
  const auto found = table().find(name);
  return found == table().end() ? Faults{} : found->second;
}

}  // namespace aclgrad::contract
