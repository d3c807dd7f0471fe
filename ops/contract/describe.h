// SPDX-License-Identifier: Apache-2.0
// What contracts are written with.
#pragma once

#include <cmath>

#include "aclgrad_contract/contracts.h"

namespace aclgrad::contract {

// Dtypes that every product accepts; BF16 comes with Atlas A2 unless it stands here too.
inline const DTypes kFloats = {ACL_FLOAT, ACL_FLOAT16};
inline const DTypes kFloatsAndDouble = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
inline const DTypes kNumbers = {ACL_FLOAT, ACL_FLOAT16,   ACL_DOUBLE,    ACL_INT8,
                                ACL_INT16, ACL_INT32,     ACL_INT64,     ACL_UINT8,
                                ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};
inline const DTypes kUnsigned = {ACL_UINT16, ACL_UINT32, ACL_UINT64};
inline DTypes without(DTypes dtypes, aclDataType dtype) {
  std::erase(dtypes, dtype);
  return dtypes;
}
// Lists of dtypes, parameters, samples and error inputs, one behind the other.
template <class T>
std::vector<T> operator+(std::vector<T> list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

constexpr size_t kAnyRank = 25;

// ---- Parameters, by their names in the headers --------------------------------------------------

inline Parameter in(std::string name, Number low = -4, Number high = 4) {
  return {std::move(name), TensorSpec{.low = low, .high = high}};
}
inline Parameter out(std::string name) {
  return {std::move(name), TensorSpec{.role = Role::kOutput}};
}
// A tensor of another shape, or other values, in the right call.
inline Parameter shaped(Parameter tensor, Shape shape) {
  std::get<TensorSpec>(tensor.spec).shape = std::move(shape);
  return tensor;
}
inline Parameter filled(Parameter tensor, double value) {
  std::get<TensorSpec>(tensor.spec).fill = value;
  return tensor;
}
inline Parameter typed(Parameter tensor, aclDataType dtype) {
  std::get<TensorSpec>(tensor.spec).dtype = dtype;
  return tensor;
}
inline Parameter any_dtype(Parameter tensor) {
  std::get<TensorSpec>(tensor.spec).any_dtype = true;
  return tensor;
}
inline Parameter any_shape(Parameter tensor) {
  std::get<TensorSpec>(tensor.spec).any_shape = true;
  return tensor;
}
inline Parameter promotes(Parameter tensor) {
  std::get<TensorSpec>(tensor.spec).promotes = true;
  return tensor;
}
// One of the tensors, or scalars, of a list.
inline Parameter member(Parameter tensor, std::string list) {
  tensor.list = std::move(list);
  return tensor;
}
inline Parameter optional(Parameter tensor) {
  std::get<TensorSpec>(tensor.spec).optional = true;
  return tensor;
}
// Of another type in C than follows from what it is.
inline Parameter declared(Parameter parameter, std::string type) {
  parameter.type = std::move(type);
  return parameter;
}
// A result that the header declares const all the same.
inline Parameter as_const(Parameter tensor) {
  return declared(std::move(tensor), "const aclTensor*");
}
inline Parameter scalar(std::string name, double value) {
  return {std::move(name), ScalarSpec{value}};
}
// A scalar that every tensor takes.
inline Parameter number(std::string name, double value) {
  return {std::move(name), ScalarSpec{value, ACL_INT64}};
}
inline Parameter list(std::string name, Shape numbers) {
  return {std::move(name), std::move(numbers)};
}
inline Parameter values(std::string name, Shape numbers, bool is_optional = false) {
  return {std::move(name), ValuesSpec{.values = std::move(numbers), .optional = is_optional}};
}
inline Parameter nullable(Parameter array) {
  array.nullable = true;
  return array;
}
inline Parameter dtype_named(std::string name, std::optional<aclDataType> dtype = std::nullopt) {
  return {std::move(name), DtypeSpec{dtype}};
}
inline Parameter option(Parameter parameter, std::string name,
                        std::optional<Sets> sets = std::nullopt) {
  parameter.option = std::move(name);
  parameter.sets = sets;
  return parameter;
}
inline Parameter no_option(Parameter parameter) {
  return option(std::move(parameter), "", Sets::kNothing);
}
inline Parameter integer(std::string name, int64_t value) { return {std::move(name), value}; }
inline Parameter flag(std::string name, bool value = false) { return {std::move(name), value}; }

// A sample for each number of an attribute.
inline std::vector<Sample> samples_of(const std::string& attribute,
                                      std::initializer_list<double> numbers) {
  std::vector<Sample> samples;
  for (const double each : numbers) samples.push_back({{{attribute, each}}});
  return samples;
}

// Of results that are copies of elements, or counts of them.
inline constexpr Bound kExact{.of_float = 0, .of_16_bits = 0};

// ---- Operators ----------------------------------------------------------------------------------

// How a C function is called: its name and type, and its parameters.
#define ACLGRAD_CALL(function, ...) \
  signature_of<decltype(function##GetWorkspaceSize)>(#function, {__VA_ARGS__})

// The form in place of an operator, which overwrites its first tensor.
inline Operator in_place_of(const Operator& op, Signature call,
                            std::vector<ErrorInput> error_inputs = {},
                            std::string tensor = "selfRef") {
  Operator form = op;
  form.call = std::move(call);
  form.call.parameters = op.call.parameters;
  form.call.form_of = op.name();
  form.words.check.clear();
  form.error_inputs = std::move(error_inputs);
  std::erase_if(form.call.parameters, [](const Parameter& each) {
    return each.tensor() != nullptr && each.tensor()->role == Role::kOutput;
  });
  Parameter& overwritten = form.call.parameters.front();
  overwritten.name = std::move(tensor);
  overwritten.type.clear();
  auto& spec = std::get<TensorSpec>(overwritten.spec);
  spec.role = Role::kInPlace;
  spec.any_dtype = false;
  spec.any_shape = true;
  return form;
}
// One whose header declares the tensor const all the same.
inline Operator as_const(Operator form) {
  form.call.parameters.front() = as_const(std::move(form.call.parameters.front()));
  return form;
}

// The gradient times the forward's slope at its input, by dual numbers: for backwards that are
// given the gradient and that input, and begin with the forward's attributes.
inline Formula slope_of(const Operator& forward) {
  const auto dual = forward.results.formula.dual;
  const auto slope = [dual](const auto& g, Number x, Attributes a) {
    // At the infinities the limits hold, which slopes have reached long before.
    if (std::isinf(x)) x = std::copysign(Number{1e4L}, x);
    const Dual at[] = {Dual{x, 1}};
    return g * dual(at, a).slope;
  };
  return {
      [slope](std::span<const Number> x, Attributes a) -> Number { return slope(x[0], x[1], a); },
      nullptr};
}

// For backwards that are given the gradient and the forward's result.
inline Gradient from_result(std::string forward, std::vector<Number> corners = {},
                            Side side = Side::kAny) {
  return {std::move(forward),
          [](const Arguments&, const Arrays&, const Arrays& outputs, const Array& gradient) {
            return Arrays{gradient, outputs[0]};
          },
          std::move(corners), side};
}
inline Gradient from_input(std::string forward, std::vector<Number> corners = {},
                           Side side = Side::kAny) {
  return {std::move(forward), nullptr, std::move(corners), side};
}

// The sample with an outputMask; of a gradient that is not all there.
inline Sample with_mask(Sample sample, Shape mask) {
  sample.settings.emplace_back("outputMask", std::move(mask));
  sample.is_gradient = false;
  return sample;
}

// Results without the values that outputMask leaves out.
inline Arrays masked(const Arguments& a, Arrays results) {
  for (const Parameter& each : a.parameters()) {
    if (each.name != "outputMask") continue;
    const std::vector<char>& mask = std::get<BoolsSpec>(each.spec).values;
    for (size_t k = 0; k < results.size(); ++k) {
      if (mask[k] == 0) results[k].values.clear();
    }
  }
  return results;
}

// A given input by one of its names; null where it is not given.
inline const Array* find_given(const Arguments& a, const Arrays& in, std::string_view name,
                               std::string_view other = "") {
  const std::vector<const Parameter*> inputs = inputs_of(a);
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k]->name == name || inputs[k]->name == other) return &in[k];
  }
  return nullptr;
}

// A dimension counted from the front.
inline size_t axis_of(const Arguments& a, const Shape& shape, std::string_view name = "dim") {
  const auto dim = static_cast<int64_t>(a.number(name));
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim);
}

// One wrong argument, of which the message says `word`.
inline ErrorInput refused(std::string name, std::string what, ParameterSpec spec, std::string word,
                          const char* product = "Ascend910B") {
  return {.what = std::move(what),
          .changes = {{std::move(name), std::move(spec)}},
          .words = {std::move(word)},
          .product = product};
}
inline ErrorInput wrong_number(std::string name, int64_t number, std::string word,
                               const char* product = "Ascend910B") {
  return refused(std::move(name), "= " + std::to_string(number), number, std::move(word), product);
}
inline ErrorInput wrong_values(std::string name, std::string what, Shape numbers,
                               std::string word) {
  return refused(std::move(name), std::move(what), ValuesSpec{std::move(numbers)}, std::move(word));
}
inline TensorSpec of_shape(Shape shape) { return {.shape = std::move(shape)}; }
// An image whose format is not that of its rank.
inline ErrorInput in_nd(std::string image, Shape shape) {
  return refused(std::move(image), "in ND",
                 TensorSpec{.shape = std::move(shape), .format = ACL_FORMAT_ND}, "NCHW");
}
// A dimension that tensors of rank 2 do not have.
inline ErrorInput bad_dim(int64_t dim) { return wrong_number("dim", dim, "[-2, 1]"); }

// The cubeMathType that takes FLOAT as FLOAT16, and an input of a product as the call's
// cubeMathType takes it.
inline constexpr int kRoundsInputs = 2;
Array input_of_product(const Arguments& a, const Array& input);

// (sum |x|^p)^(1/p); see aclnn_norm.h.
Number norm_of(const std::vector<Number>& x, Number p);

// ---- The families -------------------------------------------------------------------------------

struct FamilyContracts {
  Text title;
  std::vector<Operator> operators;
};

FamilyContracts activation_contracts();
FamilyContracts arithmetic_contracts();
FamilyContracts attention_contracts();
FamilyContracts convolution_contracts();
FamilyContracts index_contracts();
FamilyContracts linalg_contracts();
// Of functions whose members are what other operators, which are given, promise.
FamilyContracts list_contracts(std::span<const Operator> others);
FamilyContracts loss_contracts();
FamilyContracts matmul_contracts();
FamilyContracts normalization_contracts();
FamilyContracts optimizer_contracts();
FamilyContracts ordering_contracts();
FamilyContracts pooling_contracts();
FamilyContracts random_contracts();
FamilyContracts recurrent_contracts();
FamilyContracts reduction_contracts();
FamilyContracts resampling_contracts();
FamilyContracts shape_contracts();

// What a family has in files of its own.
void add_bounded_activations(std::vector<Operator>& all);
void add_formula_activations(std::vector<Operator>& all);
void add_gated_activations(std::vector<Operator>& all);
void add_quotients(std::vector<Operator>& all);
void add_elementwise_functions(std::vector<Operator>& all);
void add_binary_functions(std::vector<Operator>& all);
void add_selection(std::vector<Operator>& all);
void add_logic(std::vector<Operator>& all);
void add_rounding(std::vector<Operator>& all);
void add_error_losses(std::vector<Operator>& all);
void add_binary_cross_entropy(std::vector<Operator>& all);
void add_rms_norm(std::vector<Operator>& all);
void add_fused_rows(std::vector<Operator>& all);
void add_channel_norm(std::vector<Operator>& all);
void add_sync_norm(std::vector<Operator>& all);
void add_residual_norm(std::vector<Operator>& all);
void add_group_swish_norm(std::vector<Operator>& all);
void add_matrix_decompositions(std::vector<Operator>& all);
void add_dropout(std::vector<Operator>& all);
void add_inference_attention(std::vector<Operator>& all);
void add_rotary(std::vector<Operator>& all);
void add_recurrent_layers(std::vector<Operator>& all);
void add_scans(std::vector<Operator>& all);
void add_movement(std::vector<Operator>& all);
void add_fills(std::vector<Operator>& all);

}  // namespace aclgrad::contract
