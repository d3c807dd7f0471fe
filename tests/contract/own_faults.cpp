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

OperatorFault real(size_t parameter, double value, std::vector<std::string> words) {
  return {"= " + std::to_string(value), parameter,
          [=](Call& call) { call.values()[parameter] = value; }, 161002, std::move(words)};
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

Faults product_faults(size_t cube_math_type) {
  return {integer(cube_math_type, 5, {"[0, 4]"}), integer(cube_math_type, -1, {"[0, 4]"}),
          integer(cube_math_type, 0, {"DT_FLOAT"}, "Ascend910")};
}

Faults operator+(Faults list, const Faults& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// A scalar in the place of the operator's own, of a dtype that BOOL does not promote with.
OperatorFault unsigned_factor(aclnnStatus status, const char* product) {
  return {"of DT_UINT64 for a BOOL tensor",
          1,
          [](Call& call) { call.values()[1] = call.scalar(1, ACL_UINT64); },
          status,
          {"DT_UINT64"},
          false,
          ACL_BOOL,
          product};
}

Faults amsgrad_faults(size_t amsgrad, size_t most) {
  return {{"null with amsgrad",
           most,
           [=](Call& call) { call.values()[amsgrad] = int64_t{1}; },
           161001,
           {"null pointer"}}};
}

const std::map<std::string, Faults>& table() {
  static const std::map<std::string, Faults> faults = {
      {"aclnnAdds", {unsigned_factor(161002, "Ascend910B")}},
      {"aclnnInplaceAdds", {unsigned_factor(161002, "Ascend910B")}},
      {"aclnnSubs", {unsigned_factor(161002, "Ascend910B")}},
      {"aclnnInplaceSubs", {unsigned_factor(161002, "Ascend910B")}},
      {"aclnnMuls",
       {unsigned_factor(161002, "Ascend950"),
        unsigned_factor(561103, "Ascend910B"),
        {"INT32 of FLOAT",
         2,
         [](Call& call) {
           call.values()[2] = call.tensor({2, 3}, ACL_INT32);
         },
         161002,
         {"DT_INT32"},
         false,
         ACL_FLOAT,
         "Ascend950"}}},
      {"aclnnInplaceMuls",
       {unsigned_factor(161002, "Ascend950"),
        unsigned_factor(561103, "Ascend910B"),
        {"of DT_FLOAT for an INT32 tensor",
         0,
         [](Call& call) { call.values()[1] = call.scalar(1, ACL_FLOAT); },
         161002,
         {"DT_INT32"},
         false,
         ACL_INT32,
         "Ascend950"}}},
      {"aclnnMatmul",
       product_faults(3) + Faults{shapes(0, {{0, {2, 2, 3}}, {1, {3, 3, 2}}}, {"[2, 2, 3]"})}},
      {"aclnnMm", product_faults(3)},
      {"aclnnAddmm", product_faults(6)},
      {"aclnnInplaceAddmm", product_faults(5)},
      {"aclnnMean",
       {{"of a dtype that self cannot have",
         3,
         [](Call& call) { call.values()[3] = static_cast<int64_t>(ACL_INT64); },
         161002,
         {"DT_INT64"}}}},
      {"aclnnMeanV2",
       {{"not of self's size, with no axes to reduce",
         4,
         [](Call& call) {
           call.values()[1] = call.int_array({});
           call.values()[3] = int64_t{1};
         },
         161002,
         {"[2, 3]"}}}},
      {"aclnnCast", {integer(1, ACL_STRING, {"DT_STRING"}), integer(1, 77, {"DT_UNKNOWN(77)"})}},
      {"aclnnApplyAdamW", amsgrad_faults(12, 11)},
      {"aclnnApplyAdamWV2", amsgrad_faults(11, 3)},
      {"aclnnInplaceNormal", {real(2, -0.5, {"-0.5"})}},
      {"aclnnInplaceNormalTensor", {real(2, -0.5, {"-0.5"})}},
      {"aclnnInplaceUniform", {real(1, 3.5, {"3.5"})}},
      {"aclnnInplaceUniformTensor", {real(1, 3.5, {"3.5"})}},
  };
  return faults;
}

}  // namespace

std::vector<OperatorFault> own_faults_of(const std::string& name) {
  const auto found = table().find(name);
  return found == table().end() ? Faults{} : found->second;
}

}  // namespace aclgrad::contract
