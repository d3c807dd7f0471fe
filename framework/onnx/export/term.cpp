// SPDX-License-Identifier: Apache-2.0
#include "onnx/export/term.h"

#include <algorithm>
#include <utility>

namespace aclgrad::onnx::saving {

std::vector<Term> ops(std::string_view name, const std::vector<Term>& inputs,
                      const Attributes& attributes, std::size_t outputs) {
  std::vector<std::string> names;
  for (const Term& input : inputs) names.push_back(input.name);
  Builder& builder = *inputs.front().builder;
  std::vector<Term> made;
  for (std::string& output : builder.add(name, names, attributes, outputs)) {
    made.push_back({&builder, std::move(output), inputs.front().dtype});
  }
  return made;
}

Term op(std::string_view name, const std::vector<Term>& inputs, const Attributes& attributes,
        std::optional<DType> dtype) {
  Term made = ops(name, inputs, attributes, 1).front();
  if (dtype) made.dtype = *dtype;
  return made;
}

Term test(std::string_view name, const std::vector<Term>& inputs, const Attributes& attributes) {
  return op(name, inputs, attributes, DType::boolean);
}

Term constant(const Term& beside, const Tensor& tensor) {
  return {beside.builder, beside.builder->constant(tensor), tensor.dtype()};
}

// As Tensor::full() of a number that the dtype can hold, be it rounded.
Term number(const Term& beside, double value) {
  return constant(beside, Tensor::scalar(value, beside.dtype));
}

Term ints(const Term& beside, const Ints& values) {
  return constant(beside, Tensor::from({static_cast<std::int64_t>(values.size())}, values));
}

Term cast(const Term& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return op("Cast", {x}, {{"to", std::int64_t{type_of(dtype)}}}, dtype);
}

Term widened(const Term& x) {
  const bool is_narrow = x.dtype == DType::float16 || x.dtype == DType::bfloat16;
  return is_narrow ? cast(x, DType::float32) : x;
}

Term operator+(const Term& a, const Term& b) { return op("Add", {a, b}); }
Term operator-(const Term& a, const Term& b) { return op("Sub", {a, b}); }
Term operator*(const Term& a, const Term& b) { return op("Mul", {a, b}); }
Term operator/(const Term& a, const Term& b) { return op("Div", {a, b}); }
Term operator+(const Term& a, double b) { return b == 0 ? a : a + number(a, b); }
Term operator-(const Term& a, double b) { return b == 0 ? a : a - number(a, b); }
Term operator*(const Term& a, double b) { return b == 1 ? a : a * number(a, b); }
Term operator/(const Term& a, double b) { return b == 1 ? a : a / number(a, b); }
Term operator-(double a, const Term& b) { return number(b, a) - b; }

Term slice(const Term& x, std::int64_t axis, std::int64_t start, std::int64_t end,
           std::int64_t step) {
  return op("Slice", {x, ints(x, {start}), ints(x, {end}), ints(x, {axis}), ints(x, {step})});
}

Term transpose(const Term& x, const Ints& order) { return op("Transpose", {x}, {{"perm", order}}); }

Term reshape(const Term& x, const Ints& dims) {
  const bool has_empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  return op("Reshape", {x, ints(x, dims)},
            has_empty ? Attributes{{"allowzero", std::int64_t{1}}} : Attributes{});
}

Term unsqueeze(const Term& x, const Ints& axes) { return op("Unsqueeze", {x, ints(x, axes)}); }
Term squeeze(const Term& x, const Ints& axes) { return op("Squeeze", {x, ints(x, axes)}); }
Term concat(const std::vector<Term>& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts.front() : op("Concat", parts, {{"axis", axis}});
}

Term where(const Term& condition, const Term& a, const Term& b) {
  return op("Where", {condition, a, b}, {}, a.dtype);
}

}  // namespace aclgrad::onnx::saving
