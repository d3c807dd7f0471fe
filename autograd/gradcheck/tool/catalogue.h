// SPDX-License-Identifier: Apache-2.0
// The operators that the tool knows, as a library has them: the contracts' functions with
// attributes bound, found by name.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/operator.h"
#include "aclgrad/gradcheck/two_phase.h"
#include "aclgrad_contract/contracts.h"

namespace aclgrad::gradcheck {

/// What was chosen; an operator uses what it has.
struct Attributes {
  /// By the names of the options: "inputScale".
  std::map<std::string, contract::Setting> given = {};
  const contract::Sample* sample = nullptr;  // to which they are given; none: the contract's first
};

using DTypes = std::vector<DType>;
inline bool contains(const DTypes& dtypes, DType dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}
inline const DTypes kFloats = {DType::float32, DType::float16, DType::bfloat16};

using LibraryPointer = std::shared_ptr<Library>;

/// A contract's call of a library's function.
struct BoundCall {
  BoundCall(const LibraryPointer& library, contract::Arguments call);

  contract::Arguments arguments;
  PlanFunction plan;
  DTypes dtypes;  // in which values are checked

  const std::string& api() const { return arguments.op().name(); }
};

/// The largest error that a contract allows its results in a floating dtype, in ulp.
double promised(const contract::Arguments& call, DType dtype);

/// Phase one of such a call, with null pointers in the places of some parameters.
PlanFunction plan_of(const LibraryPointer& library, const contract::Arguments& arguments,
                     const std::vector<std::string>& nulls = {});

/// The functions of a library that are checked: all that are found by its name, or those alone that
/// it defines itself, and not those of libraries that it needs. One that defines no operator stands
/// for those that it needs.
class Functions {
 public:
  Functions(LibraryPointer library, bool own_alone);
  bool has(const std::string& name) const;

 private:
  LibraryPointer library_;
  std::set<std::string> own_;  // none: all
};

/// An operator with its attributes, ready to be checked on a library: its forward, the other forms
/// of it, and its gradient.
struct Target {
  std::string op = {};                      // "elu"
  std::string command = {};                 // "--op elu --alpha 1.3"
  std::optional<BoundCall> forward;         // none: the library lacks it
  std::vector<BoundCall> other_forms = {};  // in place: the same inputs and first result
  std::optional<BoundCall> backward = {};   // the operator that gives the gradient
  std::vector<std::string> calls = {};      // or the operators that its gradient is made of
  std::vector<std::string> lacking = {};    // functions that it needs and the library lacks
  Candidate candidate;                      // without a function where there is no gradient
  DTypes gradient_dtypes = kFloats;         // in which the gradient exists

  const contract::Operator& contract() const { return candidate.forward.op(); }
  bool has_gradient() const { return static_cast<bool>(candidate.function); }
  /// The forward's largest error in a dtype, in ulp.
  double promised(DType dtype) const { return gradcheck::promised(candidate.forward, dtype); }
  /// Forward, its other forms, backward.
  std::vector<const BoundCall*> bound_calls() const;
  /// All dtypes in which values or gradients can be checked.
  DTypes dtypes() const;

  /// Takes away the parts whose functions a library lacks: other forms, the gradient, the forward.
  /// Returns these functions' names; nothing is left where there is neither forward nor gradient.
  std::vector<std::string> leave_out_missing(const Functions& functions);

  /// Takes away the dtypes that phase one refuses. Returns them with the library's messages.
  std::map<DType, std::string> leave_out_refused(Library& library);
};

/// "selu", "elu", ...
std::vector<std::string> operator_names();

/// Those whose gradient the tool checks.
std::vector<std::string> differentiable_names();

/// Throws ValueError for an unknown name, and for a shape that the operator cannot take. An empty
/// optional shape takes one that suits the operator.
Target make_target(const LibraryPointer& library, const std::string& op,
                   const Attributes& attributes, std::optional<Dims> shape = std::nullopt);

/// Which attributes an operator has, as combinations worth checking.
std::vector<Attributes> variants(const std::string& op);

/// The command line's names of these attributes: "--alpha", "--scale", ...
std::vector<std::string> options_of(const std::string& op);

/// The two-phase operators that a library itself exports, those of them that are in no target, and
/// those in targets without a gradient: only their results can be checked. Besides, the files of
/// libraries that it needs whose operators it does not define itself.
struct Coverage {
  std::vector<std::string> exported;
  std::vector<std::string> unknown;
  std::vector<std::string> without_gradient;
  std::vector<std::string> needed = {};
};
Coverage coverage(const LibraryPointer& library);

}  // namespace aclgrad::gradcheck
