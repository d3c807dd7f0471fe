// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor and their forms in place, for the contracts of arithmetic and activation.
#pragma once

#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline const DTypes kAll = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};
inline const DTypes kAllAndBf16 = {ACL_FLOAT,     ACL_FLOAT16,    ACL_DOUBLE,
                                   ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16};
inline const DTypes kWholeNumbers = {ACL_INT8,  ACL_INT16, ACL_INT32,
                                     ACL_INT64, ACL_UINT8, ACL_BOOL};

// A function of one tensor and its form in place.
// Integers beside a floating result are accepted where `inputs` has them.
struct Function {
  Text computes;
  std::string in_graph;
  DTypes inputs = {};
  bool has_backward = false;  // of its own, under whose name it is checked
};

class Functions {
 public:
  explicit Functions(std::vector<Operator>& all) : all_(all) {}

  void add(Signature forward, Signature in_place, const std::string& tensor, Operator op,
           const Function& function) {
    forward.parameters = std::move(op.call.parameters);
    op.call = std::move(forward);
    op.call.parameters[0].name = tensor;
    op.words = {function.computes.english, function.computes.chinese, function.in_graph};
    if (!function.has_backward) {
      op.words.check = function.in_graph.substr(0, function.in_graph.find('('));
    }
    op.domain.mixed = function.inputs;
    all_.push_back(op);
    op.domain.mixed.clear();
    all_.push_back(in_place_of(op, std::move(in_place), {},
                               op.name() == "aclnnSqrt" ? tensor : tensor + "Ref"));
    if (op.name() == "aclnnReciprocal") all_.back() = as_const(all_.back());
  }

 private:
  std::vector<Operator>& all_;
};

// Two arguments of add(): the calls of a function and of its form in place.
#define ACLGRAD_FUNCTION(name) ACLGRAD_CALL(aclnn##name), ACLGRAD_CALL(aclnnInplace##name)

inline Operator function(Number low, Number high, Formula formula, DTypes everywhere = kAll,
                         DTypes from_a2_on = {ACL_BF16}) {
  return {.call = {.parameters = {any_dtype(in("self", low, high)), any_dtype(out("out"))}},
          .domain = {.everywhere = std::move(everywhere), .from_a2_on = std::move(from_a2_on)},
          .results = {.formula = std::move(formula), .bound = bounded(2)}};
}

}  // namespace aclgrad::contract
