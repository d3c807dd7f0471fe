// SPDX-License-Identifier: Apache-2.0
// The contract of an operator of the C interface, as data: what it promises, one Operator for every
// pair of C functions. Tests, the gradcheck tool, benchmarks, fuzzing and the reference pages all
// read the contracts (contracts.h), so that a fact about an operator is written once. Nothing here
// is linked with an operator library: functions are called at an address that the reader found by
// name.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "aclgrad_common/phase_one.h"
#include "aclgrad_contract/dual.h"
#include "aclgrad_contract/numbers.h"
#include "aclnn/aclnn_base.h"

namespace aclgrad::contract {

using DTypes = std::vector<aclDataType>;

// ---- Calling a phase one ------------------------------------------------------------------------

// An argument. Integers stand for bool and enumerations too.
using Value = std::variant<aclTensor*, aclTensorList*, aclScalar*, aclIntArray*, aclBoolArray*,
                           char*, int64_t, double, aclScalarList*>;

template <class Parameter>
Parameter as(const Value& value) {
  if constexpr (std::is_same_v<Parameter, char*>) {
    return std::get<char*>(value);
  } else if constexpr (std::is_pointer_v<Parameter>) {
    return std::get<std::remove_const_t<std::remove_pointer_t<Parameter>>*>(value);
  } else if constexpr (std::is_floating_point_v<Parameter>) {
    return static_cast<Parameter>(std::get<double>(value));
  } else {
    return static_cast<Parameter>(std::get<int64_t>(value));
  }
}

using Invoke = std::function<aclnnStatus(void* phase_one, std::span<const Value> values,
                                         uint64_t* workspace_size, aclOpExecutor** executor)>;

// The name of a parameter's type in C.
template <class Parameter>
constexpr const char* type_name() {
#define ACLGRAD_TYPE_NAME(type) \
  if constexpr (std::is_same_v<Parameter, type>) return #type
  ACLGRAD_TYPE_NAME(const aclTensor*);
  ACLGRAD_TYPE_NAME(aclTensor*);
  ACLGRAD_TYPE_NAME(const aclTensorList*);
  ACLGRAD_TYPE_NAME(aclTensorList*);
  ACLGRAD_TYPE_NAME(const aclScalar*);
  ACLGRAD_TYPE_NAME(const aclScalarList*);
  ACLGRAD_TYPE_NAME(const aclIntArray*);
  ACLGRAD_TYPE_NAME(const aclBoolArray*);
  ACLGRAD_TYPE_NAME(char*);
  ACLGRAD_TYPE_NAME(const char*);
  ACLGRAD_TYPE_NAME(bool);
  ACLGRAD_TYPE_NAME(float);
  ACLGRAD_TYPE_NAME(double);
  ACLGRAD_TYPE_NAME(int8_t);
  ACLGRAD_TYPE_NAME(int64_t);
  ACLGRAD_TYPE_NAME(int);
  ACLGRAD_TYPE_NAME(uint64_t);
  ACLGRAD_TYPE_NAME(aclDataType);
#undef ACLGRAD_TYPE_NAME
  return "a type that no operator has";
}

// Of a phase one by its type: what a contract keeps of it.
template <class Function>
aclnnStatus invoke(void* phase_one, std::span<const Value> values, uint64_t* workspace_size,
                   aclOpExecutor** executor) {
  using PhaseOne = common::PhaseOne<Function>;
  const auto argument = [values]<size_t kIndex>() {
    return as<typename PhaseOne::template Type<kIndex>>(values[kIndex]);
  };
  return PhaseOne::call(reinterpret_cast<Function*>(phase_one), argument, workspace_size, executor);
}

template <class Function>
std::vector<std::string> parameter_types() {
  using PhaseOne = common::PhaseOne<Function>;
  return []<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::vector<std::string>{type_name<typename PhaseOne::template Type<kIndex>>()...};
  }
  (std::make_index_sequence<PhaseOne::kCount>());
}

// ---- Parameters ---------------------------------------------------------------------------------

enum class Role { kInput, kOutput, kInPlace };

// Without a dtype, a tensor or scalar has the one under test. Shapes and values are those of a call
// that is right, with kN in no shape.
struct TensorSpec {
  Shape shape = {2, 4};
  double fill = 1;
  std::optional<aclDataType> dtype = std::nullopt;
  bool optional = false;  // null is accepted, and given in the right call
  Role role = Role::kInput;
  Number low = -4;  // values are drawn from here; whole numbers for integer dtypes
  Number high = 4;
  bool any_dtype = false;  // another dtype of the operator's list is accepted too
  bool promotes = false;   // so is whatever promotes to one together with the other tensors
  bool any_shape = false;
  std::optional<aclFormat> format = std::nullopt;  // none: that of its rank (format_of)
  aclnnStatus if_null = 161001;                    // where null is refused
  // Where only all elements together are right, as repeats whose sum is a size: theirs, in order
  // and over again. None: each is drawn by itself.
  std::vector<Number> elements = {};

  // What stands in place i; `unit` in [0, 1) says which of the numbers that may be drawn.
  Number drawn(size_t i, Number unit) const {
    return elements.empty() ? low + (high - low) * unit : elements[i % elements.size()];
  }
};

// The format of tensors of a rank, as the adapters of frameworks give it: NCL, NCHW and NCDHW for
// ranks 3 to 5, ND for others.
aclFormat format_of(size_t rank);
struct ScalarSpec {
  double value;
  std::optional<aclDataType> dtype = ACL_FLOAT;
  bool optional = false;   // as a tensor's
  bool is_widest = false;  // ACL_INT64 beside integers, ACL_DOUBLE beside others

  // The dtype of the scalar beside tensors of a dtype; without one, beside all of them. ACL_INT64
  // stands for a number that every tensor takes: one with a fraction is ACL_DOUBLE then.
  aclDataType dtype_beside(std::optional<aclDataType> tensors = std::nullopt) const;
};
// Sizes of a tensor, which grow with it.
struct SizesSpec {
  Shape sizes;
};
struct BoolsSpec {
  std::vector<char> values;
  aclnnStatus if_null = 161001;
  aclnnStatus if_longer = 161002;
  bool optional = false;  // null, which is what the right call has; not looked at
};
// Numbers of which only the operator knows which are wrong: strides, paddings and their like.
struct ValuesSpec {
  Shape values;
  bool optional = false;  // null is accepted
  bool given = true;
};
// One of several words, by its place among them.
struct WordSpec {
  std::vector<const char*> words;
  size_t chosen = 0;
};
// A dtype; none: the one under test, which is the first result's.
struct DtypeSpec {
  std::optional<aclDataType> dtype = std::nullopt;
};
using ParameterSpec = std::variant<TensorSpec, ScalarSpec, Shape, SizesSpec, BoolsSpec, ValuesSpec,
                                   WordSpec, int64_t, double, bool, DtypeSpec>;

// What of a parameter the command line of the gradcheck tool sets.
enum class Sets { kNothing, kNumber, kFlag, kList, kShape, kDtype };

struct Parameter {
  std::string name;  // as in the header
  ParameterSpec spec;
  std::string type = {};  // in C, where it is not the one that follows from the spec (see type_of)
  // The tool's option, where it is not called as the parameter is, and what it sets, where that
  // does not follow from the spec: of tensors nothing does.
  std::string option = {};
  std::optional<Sets> sets = std::nullopt;
  bool nullable = false;  // an array that may be null, which is another way to say that it is empty
  // The parameter in the header, an aclTensorList or an aclScalarList, of whose members this is
  // one; they stand one behind the other, as "tensors[0]", "tensors[1]" of "tensors".
  std::string list = {};
  bool is_extra = false;  // not null in the list where it is not given, but no part of it

  // Null for one that is no tensor.
  const TensorSpec* tensor() const { return std::get_if<TensorSpec>(&spec); }
  const std::string& declared_name() const { return list.empty() ? name : list; }
  const std::string& option_name() const { return option.empty() ? name : option; }
  Sets option_sets() const;
};

// What a sample sets: the number of an attribute or of all elements of a tensor, the values of an
// array or a tensor's shape (with kN, and which gives an optional one), a dtype.
using Setting = std::variant<double, Shape, aclDataType>;

// Attributes and shapes that are worth testing; what is not set is as in the right call.
struct Sample {
  std::vector<std::pair<std::string, Setting>> settings = {};
  bool is_gradient = true;  // a backward is the derivative of its forward with these, too
};

struct Operator;

// An operator's parameters with a sample's settings and the shape of its base tensor filled in.
class Arguments {
 public:
  // Of an operator that outlives them.
  explicit Arguments(const Operator& op, const Sample& sample = {},
                     const std::optional<Shape>& base = std::nullopt)
      : Arguments(std::shared_ptr<const Operator>(std::shared_ptr<void>(), &op), sample, base) {}
  explicit Arguments(std::shared_ptr<const Operator> op, const Sample& sample = {},
                     const std::optional<Shape>& base = std::nullopt);

  // These arguments beside tensors of a dtype, which references see and scalars are rounded to.
  // Without a dtype numbers are exact.
  Arguments in(aclDataType dtype) const;
  // With all tensors of one shape, for elementwise operators.
  Arguments of_shape(const Shape& shape) const;
  aclDataType dtype() const { return dtype_; }

  const Operator& op() const { return *op_; }
  bool is_gradient() const { return is_gradient_; }
  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // By the parameter's name; throw std::invalid_argument when there is none of the kind.
  Shape& shape(std::string_view tensor);
  const Shape& shape(std::string_view tensor) const;
  Shape& array(std::string_view name);
  const Shape& array(std::string_view name) const;
  TensorSpec& tensor(std::string_view name);
  // Of a tensor, or a parameter that is a dtype; none: the one under test.
  std::optional<aclDataType> dtype_of(std::string_view name) const;
  bool is_set(std::string_view name) const;  // by the sample
  void set(std::string_view attribute, const Setting& setting);
  // Gives a shape to those of these tensors that the operator has.
  void reshape(std::initializer_list<std::string_view> tensors, const Shape& shape);
  Number number(std::string_view attribute) const;
  bool has(std::string_view name) const;

  // All that have one, in order, as the operator sees them: scalars are rounded to their dtype, and
  // those that convert to the tensors' to that.
  const std::vector<Number>& numbers() const { return numbers_; }

  // What the sample sets, of what the operator has.
  const std::vector<std::pair<std::string, Setting>>& settings() const { return settings_; }

  // "alpha=1.25 isResult=true": what the sample sets, in words.
  std::string label() const;

 private:
  const ParameterSpec* find(std::string_view name) const;
  ParameterSpec& get(std::string_view name);

  void number_attributes();

  std::shared_ptr<const Operator> op_;
  aclDataType dtype_ = ACL_DT_UNDEFINED;
  bool is_gradient_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<std::string, Setting>> settings_;
  std::vector<Number> numbers_;
};

// ---- Results ------------------------------------------------------------------------------------

// The exact results for inputs that are taken as exact: outputs and tensors in place, in the order
// of the parameters. A result without values means that the operator must leave it as it was.
using Reference = std::function<Arrays(const Arguments& arguments, const Arrays& inputs)>;

using Attributes = std::span<const Number>;

// "" for a result as it must be, or what is wrong with it: of random numbers, which have no right
// values.
using Property = std::function<std::string(const Arguments& arguments, const Array& result)>;

// What is known of results in complex dtypes: nothing, that real and imaginary part are made apart,
// or that the operator is linear in each of two inputs.
enum class Complex { kUnknown, kParts, kBilinear };

// One element of the result from one element of each input, broadcast to one shape, and the
// attributes' numbers, over numbers and over dual numbers. Integers wrap where all attributes are
// whole; otherwise the result is cut off and stops at the limits. In BOOL all but 0 is 1.
struct Formula {
  std::function<Number(std::span<const Number> x, Attributes a)> number = nullptr;
  std::function<Dual(std::span<const Dual> x, Attributes a)> dual = nullptr;

  explicit operator bool() const { return static_cast<bool>(number); }
};

// Of several inputs: f(x, a), with x indexed.
template <class Function>
Formula of_all(Function f) {
  return {[f](std::span<const Number> x, Attributes a) -> Number { return f(x, a); },
          [f](std::span<const Dual> x, Attributes a) -> Dual { return Dual(f(x, a)); }};
}

// Of one input: f(x), or f(x, a).
template <class Function>
Formula of_one(Function f) {
  return of_all([f](auto x, Attributes a) {
    if constexpr (std::is_invocable_v<Function, decltype(x[0]), Attributes>) {
      return f(x[0], a);
    } else {
      return static_cast<void>(a), f(x[0]);
    }
  });
}

// Largest errors in units of the last place of the result's dtype.
struct Bound {
  double of_float = 1;
  double of_16_bits = 0.500001;  // correctly rounded, and the error of the reference
  std::optional<double> of_double = std::nullopt;  // none: of_float
  // For gradients that may cancel: roundings in FLOAT of the sum of their terms' magnitudes.
  double inner = 0.05;
  // Of gradients that several operators make, with tensors of the dtype in between: roundings in
  // the dtype of that sum, where terms are stored before they are added, and of the largest
  // element.
  double terms = 0;
  double stored = 0;
};

// What is proven of FLOAT results that are a gradient, or another input, times a function.
inline constexpr Bound kProduct{.of_float = 1.5};

// 16-bit results are those of FLOAT, rounded: beside a tie, an error of theirs counts.
inline constexpr Bound bounded(double ulp) {
  return {.of_float = ulp, .of_16_bits = 0.5 + ulp / 8192, .of_double = 4};
}

// Which slope a backward takes at a corner; inside is towards the middle of all corners.
enum class Side { kAny, kLeft, kRight, kInside, kOutside };

// How a backward is the derivative of a forward with respect to its first input or inputs. Its own
// reference takes what it is given as it is: results of a forward may be others than that gives.
struct Gradient {
  std::string of;  // "aclnnElu"
  // The backward's inputs, from the forward's inputs, its exact results, and the gradient of one of
  // these (differentiated_result). None: that gradient, then the forward's inputs. Throws for a
  // forward's call that leaves out what the backward needs.
  std::function<Arrays(const Arguments& backward, const Arrays& inputs, const Arrays& outputs,
                       const Array& gradient)>
      inputs = nullptr;
  std::vector<Number> corners = {};  // values of the first input without a derivative
  Side side = Side::kAny;
  size_t count = 1;  // of the forward's first inputs that have one, where they are given
  // Or their names in the order of the gradients, where these are of others or stand in another
  // order. Those that are not given have none.
  std::vector<std::string> order = {};
  // What is differentiated, from the forward's inputs, where the gradient is not that of the
  // result alone.
  Reference differentiated = nullptr;
  // Drawn inputs, moved to where the forward has slopes: of results whose corners, or jumps, are
  // where an input meets numbers of the call.
  std::function<Arrays(const Arguments& forward, Arrays inputs)> smooth = nullptr;
  // Whether an input's gradient is 0 wherever there is one, as that of a number that is rounded.
  std::function<bool(const Arguments& forward, std::string_view input)> is_zero = nullptr;
};

// A wrong call and the answer to it, beyond those that follow from the kinds of the parameters:
// these parameters of the right call are changed.
struct ErrorInput {
  std::string what;
  std::vector<std::pair<std::string, ParameterSpec>> changes = {};  // the first is the wrong one
  std::vector<std::string> nulls = {};                              // or the first of these
  aclnnStatus status = 161002;
  std::vector<std::string> words = {};  // the message has one of these
  const char* product = "Ascend910B";
  aclDataType dtype = ACL_FLOAT;
};

// A sentence in the two languages of the reference.
struct Text {
  std::string english;
  std::string chinese;
};

// ---- The contract -------------------------------------------------------------------------------

// The C functions of an operator, as they are called.
struct Signature {
  std::string name = {};  // "aclnnElu"
  Invoke invoke = nullptr;
  std::vector<std::string> types = {};  // of phase one's parameters, as the header declares them
  std::vector<Parameter> parameters = {};
  std::string form_of = {};  // the operator of which this is the form in place or an older version
};

// Stands in a base shape for the size that tests keep small and benchmarks make large; even.
inline constexpr int64_t kN = -1;

// What is accepted: dtypes by product, ranks and formats, shapes, and the samples that tests take.
struct Domain {
  DTypes everywhere = {};          // in which all tensors together are accepted by every product
  DTypes from_a2_on = {ACL_BF16};  // and by Atlas A2, A3 and 950 only
  DTypes mixed = {};               // accepted beside tensors of others only
  // What one product accepts besides, or refuses all the same, with some arguments.
  using Exception =
      std::function<bool(const Arguments&, std::string_view product, aclDataType dtype)>;
  Exception also_accepts = nullptr;
  Exception also_refuses = nullptr;

  size_t max_rank = 8;
  bool equal_formats = false;        // tensors of different formats are refused
  bool grows = true;                 // the right call is right with all sizes of tensors multiplied
  aclnnStatus wrong_shape = 161002;  // the status of a call with shapes that do not fit

  // The base tensor's shape is free; `arrange` makes the others from it and the attributes. None:
  // tensors that have the base's shape in the right call always do.
  std::string base = {};  // none: the first tensor
  Shape base_shape = {kN, 3, 4};
  std::function<void(Arguments&)> arrange = nullptr;
  std::vector<Sample> samples = {{}};
  // More of them for values and bits alone: beyond what a kernel takes in one block, and so on.
  std::vector<Sample> value_samples = {};
};

// What is computed, and how exactly: one of formula, reference and property; a formula may stand
// beside a reference that says the same of more.
struct Results {
  Formula formula = {};
  Reference reference = nullptr;
  Property property = nullptr;
  Complex complex = Complex::kUnknown;
  Bound bound = {};
  // Of sums of products: roundings in FLOAT, which count on top of bound.of_float.
  std::function<double(const Arguments&)> roundings = nullptr;
  Reference magnitude = nullptr;  // the scale on which the bound counts where results may cancel
  double least_magnitude_double = 0;  // for DOUBLE that scale is at least this
  // Of a call that has no exact results: the first element that the right call gives.
  std::optional<double> value = std::nullopt;
  bool nan_goes_through = true;  // a NaN in an input gives one in every result that is made of it
};

// What people read and type.
struct Words {
  Words() = default;
  Words(std::string english, std::string chinese, std::string graph = {}, std::string checked = {})
      : computes{std::move(english), std::move(chinese)},
        in_graph(std::move(graph)),
        check(std::move(checked)) {}

  Text computes = {};
  std::string in_graph = {};  // the C++ function that records it: "elu(x, alpha, scale)"
  std::string check = {};     // the name under which the gradcheck tool checks it: "elu"
};

struct Operator {
  Signature call;
  Domain domain = {};
  Results results = {};
  std::optional<Gradient> gradient = {};
  std::vector<ErrorInput> error_inputs = {};
  Words words = {};

  const std::string& name() const { return call.name; }
  const Parameter& parameter(std::string_view name) const;
  size_t output() const;  // the first parameter that the right call gives to be written
  bool is_elementwise() const { return static_cast<bool>(results.formula); }
};

// The results of a call.
Arrays results_of(const Arguments& arguments, const Arrays& inputs);

// What a backward is given (Gradient::inputs).
Arrays backward_inputs(const Arguments& backward, const Arrays& inputs, const Arrays& outputs,
                       const Array& gradient);

// Which of a forward's results is differentiated: the first that is not updated nor of a fixed
// dtype.
size_t differentiated_result(const Arguments& forward);

// The largest errors with these arguments.
Bound bound_of(const Arguments& arguments);

// The first element that the right call gives in a dtype.
double value_of(const Operator& op, aclDataType dtype);

// Those in which some product accepts all tensors together.
DTypes table_dtypes_of(const Operator& op);

// The dtypes in which values are known; real ones, unless more is known of the operator.
DTypes value_dtypes_of(const Arguments& arguments);

// The parameters that are tensors and given: inputs, then outputs; what is overwritten is an input.
std::vector<size_t> places_of_tensors(const Arguments& arguments);
std::vector<const Parameter*> inputs_of(const Arguments& arguments);
std::vector<const Parameter*> outputs_of(const Arguments& arguments);

// Whether some tensor, number or attribute has the dtype under test.
bool has_free_dtype(const Operator& op);

// Whether all tensors have one shape.
bool has_one_shape(const Arguments& arguments);

// Whether a form of an operator (form_of) takes what a call of that one takes: it has all that is
// set, and what it overwrites has the shape of the result.
bool is_form_of(const Arguments& form, const Arguments& call);

// The base shape with a size in the place of kN.
Shape base_shape_of(const Operator& op, int64_t n);

// The type that the contract gives a parameter: tensors that are written are not const, and so on.
std::string type_of(const Parameter& parameter);

// The parameters as the header declares them, by the first of the contract's: the tensors of a
// list are one.
std::vector<size_t> declared_parameters(const Operator& op);

// A C function by its name; null where there is none.
using Find = std::function<void*(const char* name)>;

// An operator's arguments as phase one takes them: the members of a list in an aclTensorList or an
// aclScalarList, which lives as long as this. Such a list in the place of a list's first member is
// that list. The members stay their owner's: a library without aclgradReleaseTensorList, whose
// lists can only be destroyed together with their members, keeps the list.
class PhaseOneArguments {
 public:
  PhaseOneArguments(const Operator& op, std::span<const Value> values, const Find& find);
  ~PhaseOneArguments();
  PhaseOneArguments(const PhaseOneArguments&) = delete;
  PhaseOneArguments& operator=(const PhaseOneArguments&) = delete;

  std::span<const Value> values() const { return values_; }
  bool lacks_list() const { return lacks_list_; }  // one could not be made

 private:
  static constexpr size_t kMax = 64;  // without memory of its own, which tests let fail

  std::array<Value, kMax> packed_;
  std::span<const Value> values_;
  std::array<const void*, kMax> lists_ = {};
  int32_t (*release_)(const void*) = nullptr;  // aclgradReleaseTensorList
  bool lacks_list_ = false;
};

// Calls phase one. Where a list cannot be made, 561000, and the library has left a message.
aclnnStatus call_phase_one(const Operator& op, void* phase_one, std::span<const Value> values,
                           const Find& find, uint64_t* workspace_size, aclOpExecutor** executor);

// Makes a library's objects for arguments that are no tensors; they stay the maker's.
struct Maker {
  std::function<aclScalar*(double value, aclDataType dtype)> scalar;
  std::function<aclIntArray*(const Shape& values)> int_array;
  std::function<aclBoolArray*(const std::vector<char>& values)> bool_array;
};

// An argument beside tensors of a dtype, or of any; null for a tensor.
Value bind(const ParameterSpec& spec, const Maker& maker,
           std::optional<aclDataType> tensors = std::nullopt);

// A phase one with all its arguments but the tensors, which each call brings.
class BoundPhaseOne {
 public:
  // With null in the places of some parameters.
  BoundPhaseOne(const Arguments& arguments, const Maker& maker, void* phase_one, Find find,
                const std::vector<std::string>& nulls = {});

  // Whether a call asks for the result's dtype, by aclGetDataType.
  bool needs_dtype() const { return !of_result_.empty() || !of_integers_.empty(); }

  // Inputs, then outputs (places_of_tensors).
  aclnnStatus operator()(std::span<aclTensor* const> tensors, uint64_t* workspace_size,
                         aclOpExecutor** executor) const;

 private:
  const Operator* op_;
  void* phase_one_;
  Find find_;
  std::vector<size_t> places_;  // of the tensors
  std::vector<Value> values_;
  std::vector<size_t> of_result_;                      // that are the result's dtype
  std::vector<std::pair<size_t, Value>> of_integers_;  // scalars that are others beside integers
};

// How an operator is called whose phase one has this type in the public header.
template <class PhaseOne>
Signature signature_of(std::string name, std::vector<Parameter> parameters) {
  return {std::move(name), invoke<PhaseOne>, parameter_types<PhaseOne>(), std::move(parameters)};
}

}  // namespace aclgrad::contract
