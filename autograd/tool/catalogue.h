// SPDX-License-Identifier: Apache-2.0
// The operators that the tool knows: their entry points in a library, their formulas, what their
// documents promise, and which argument each refuses with which status.
#ifndef ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_
#define ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/gradcheck_operator.h"
#include "aclgrad/gradcheck_two_phase.h"
#include "aclgrad_contract/operator.h"

namespace aclgrad::gradcheck {

/// For operators that work in double and round once.
inline constexpr ErrorModel kRoundedOnce{.final_ulp_16bit = 0.5, .final_ulp = 0.5, .inner = 0.05};

/// What was chosen; an operator uses what it has.
struct Attributes {
  /// By the names of the options: "inputScale".
  std::map<std::string, contract::Setting> given = {};
  const contract::Sample* sample = nullptr;  // to which they are given; none: the entry's first
};

using DTypes = std::vector<DType>;
inline bool contains(const DTypes& dtypes, DType dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}
inline const DTypes kFloats = {DType::float32, DType::float16, DType::bfloat16};

/// The families of products, by the names of their chips, and which of them know bfloat16.
inline constexpr const char* kProducts[] = {"Ascend910", "Ascend310P", "Ascend910B", "Ascend910_93",
                                            "Ascend950"};
inline bool has_bfloat16(const std::string& product) {
  return product != "Ascend910" && product != "Ascend310P";
}

/// A tensor argument.
struct TensorArgument {
  std::string name;
  Dims shape;
  std::optional<DType> dtype = {};  // when it is not the dtype under test
  bool free_dtype = false;          // another dtype of the list is accepted too
  bool promotes = false;            // so is whatever promotes to one together with the others
  bool free_shape = false;          // any shape is accepted
  bool optional = false;            // null is accepted
  aclnnStatus if_null = 161001;     // where it is refused
};

/// A call that must be refused.
struct Refusal {
  std::string what;
  aclnnStatus status;
  PlanFunction plan;
  std::vector<TensorArgument> tensors = {};  // where they are not those of the entry point
};

/// A pair of C functions with the attributes bound.
struct EntryPoint {
  std::string api;
  std::vector<TensorArgument> tensors;  // inputs, then outputs
  std::size_t inputs = 1;               // how many of them are inputs
  PlanFunction plan;
  std::size_t highest_rank = 25;
  aclnnStatus wrong_shape = 161002;  // of a call with a shape that does not fit
  std::vector<Refusal> refusals = {};
  std::vector<std::size_t> written = {};  // inputs that are overwritten: the first results
  DTypes dtypes = kFloats;                // of all tensors, where BFLOAT16 is known
  DTypes values = {};                     // in which values are checked; none: all of them
  DTypes mixed = {};                      // those that are accepted beside others only
  bool nan_goes_through = true;           // a NaN gives NaN
  bool bfloat16_everywhere = false;       // accepted by every product, not only A2, A3 and 950
  /// Whether a product, by its family ("Ascend310P"), refuses a dtype that its table has.
  std::function<bool(const std::string& product, DType dtype)> refuses = {};

  /// Whether a product accepts one that its table has not.
  std::function<bool(const std::string& product, DType dtype)> also_accepts = {};

  const DTypes& value_dtypes() const { return values.empty() ? dtypes : values; }
};

/// An operator with its attributes, ready to be checked on a library.
struct Subject {
  std::string op;       // "elu"
  std::string command;  // "--op elu --alpha 1.3"
  EntryPoint forward;
  std::vector<EntryPoint> other_forms = {};  // in place: the same inputs and first result
  std::optional<EntryPoint> backward = {};   // the operator that gives the gradient
  std::vector<std::string> calls = {};       // or the operators that its gradient is made of
  std::vector<std::string> lacking = {};     // functions that it needs and the library lacks
  Operator checked;                          // its backward, where there is one, calls the library
  DTypes gradient_dtypes = kFloats;          // in which the gradient exists
  double forward_ulp = 1.5;                  // of float32, and of wider types
  double forward_ulp_16bit = 0.5001;         // correctly rounded
  std::optional<double> forward_ulp_double = {};  // of float64, where it is another
  std::function<Arrays(const Arrays& inputs)> magnitude =
      {};  // of sums: what forward_ulp counts on

  /// The results in a dtype, where they are not just `checked`'s forward: of integers and such. One
  /// without values must be left as it was.
  std::function<Arrays(const Arrays& inputs, DType dtype)> reference = {};
  bool bilinear = false;  // of complex numbers; otherwise the parts are independent

  /// Where there are no right values but values with right properties: "" or what is missing.
  std::function<std::string(const Array& result, DType dtype)> property = {};

  bool has_forward = true;  // in the library

  bool has_gradient() const { return static_cast<bool>(checked.backward); }
  /// The forward's largest error in a dtype.
  double promised(DType dtype) const;
  /// Forward, its other forms, backward.
  std::vector<const EntryPoint*> entry_points() const;
  /// All dtypes in which values or gradients can be checked.
  DTypes dtypes() const;

  /// Takes away the parts whose functions a library lacks: other forms, the gradient, the forward.
  /// Returns these functions' names; nothing is left where there is neither forward nor gradient.
  std::vector<std::string> leave_out_missing(const Library& library);

  /// Takes away the dtypes that phase one refuses. Returns them with the library's messages.
  std::map<DType, std::string> leave_out_refused(Library& library);
};

using LibraryPointer = std::shared_ptr<Library>;

/// "selu", "elu", ...
std::vector<std::string> operator_names();

/// Those whose gradient the tool checks.
std::vector<std::string> differentiable_names();

/// Throws ValueError for an unknown name, and for a shape that the operator cannot take. An empty
/// optional shape takes one that suits the operator.
Subject make_subject(const LibraryPointer& library, const std::string& op,
                     const Attributes& attributes, std::optional<Dims> shape = std::nullopt);

/// Which attributes an operator has, as combinations worth checking.
std::vector<Attributes> variants(const std::string& op);

/// The command line's names of these attributes: "--alpha", "--scale", ...
std::vector<std::string> options_of(const std::string& op);

/// The two-phase operators that a library itself exports, and those of them that no subject has.
struct Coverage {
  std::vector<std::string> exported;
  std::vector<std::string> unknown;
};
Coverage coverage(const LibraryPointer& library);

namespace detail {
using Maker = std::function<Subject(const LibraryPointer& library, const Attributes& attributes,
                                    const std::optional<Dims>& shape)>;
struct KnownOperator {
  std::string name;
  Maker make;
  std::vector<Attributes> variants;
  std::vector<std::string> options = {};  // of the command line that choose its attributes
};
std::vector<KnownOperator> book_operators();

/// A function of the library, null when it lacks it: then the operator is not checked.
template <class Function>
Function* lookup(const LibraryPointer& library, const std::string& name) {
  return reinterpret_cast<Function*>(library->ask(name));
}
// The name must be both a type's source and a text.
#define ACLGRAD_LOOKUP(name) ::aclgrad::gradcheck::detail::lookup<decltype(name)>(library, #name)
}  // namespace detail

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_CATALOGUE_H_
