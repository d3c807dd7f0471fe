// SPDX-License-Identifier: Apache-2.0
// The operators that the tool knows: their entry points in a library, their formulas, what their
// documents promise, and which argument each refuses with which status.
#ifndef ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_
#define ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/gradcheck_operator.h"
#include "aclgrad/gradcheck_two_phase.h"

namespace aclgrad::gradcheck {

/// Everything that can be chosen; an operator uses what it has.
struct Attributes {
  double alpha = 1;
  double scale = 1;
  double input_scale = 1;
  bool is_result = false;
  int dim = -1;
  int approximate = 0;  // 0 erf form, 1 tanh form
  bool activate_left = false;
  int reduction = 1;  // 0 none, 1 mean, 2 sum
};

/// A tensor argument.
struct TensorArgument {
  std::string name;
  Dims shape;
  std::optional<DType> dtype = {};  // when it is not the dtype under test
  bool free_dtype = false;          // another floating dtype is accepted too
  bool promotes = false;            // so is whatever promotes to one together with the others
};

/// A call that must be refused.
struct Refusal {
  std::string what;
  aclnnStatus status;
  PlanFunction plan;
};

/// A pair of C functions with the attributes bound.
struct EntryPoint {
  std::string api;
  std::vector<TensorArgument> tensors;  // inputs, then outputs
  std::size_t inputs = 1;               // how many of them are inputs
  PlanFunction plan;
  std::size_t highest_rank = 25;
  std::vector<Refusal> refusals = {};
};

/// An operator with its attributes, ready to be checked on a library.
struct Subject {
  std::string op;       // "elu"
  std::string command;  // "--op elu --alpha 1.3"
  EntryPoint forward;
  EntryPoint backward;
  Operator checked;          // its backward calls the library
  double forward_ulp = 1.5;  // of FLOAT; 16-bit results are correctly rounded
  std::function<Arrays(const Arrays& inputs)> magnitude =
      {};  // of sums: what forward_ulp counts on

  /// Names of the functions that the library lacks; empty when it can be checked.
  std::vector<std::string> missing(const Library& library) const;
};

using LibraryPointer = std::shared_ptr<Library>;

/// "selu", "elu", ...
std::vector<std::string> operator_names();

/// Throws ValueError for an unknown name, and for a shape that the operator cannot take. An empty
/// optional shape takes one that suits the operator.
Subject make_subject(const LibraryPointer& library, const std::string& op,
                     const Attributes& attributes, std::optional<Dims> shape = std::nullopt);

/// Which attributes an operator has, as combinations worth checking.
std::vector<Attributes> variants(const std::string& op);

namespace detail {
// By family; null when the name is not of the family.
using Maker = Subject (*)(const LibraryPointer& library, const Attributes& attributes,
                          const std::optional<Dims>& shape);
struct KnownOperator {
  const char* name;
  Maker make;
  std::vector<Attributes> variants;
};
std::vector<KnownOperator> activation_operators();
std::vector<KnownOperator> gated_operators();
std::vector<KnownOperator> loss_operators();
}  // namespace detail

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_
