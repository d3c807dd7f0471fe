// SPDX-License-Identifier: Apache-2.0
// Formulas of ONNX operators: what ONNX lacks is written as it is in a book, and becomes nodes.
//
//   Term gelu(const Term& x) { return x * 0.5 * (1.0 + op("Erf", {x * std::numbers::sqrt1_2}... }
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "onnx/export/builder.h"

namespace aclgrad::onnx::saving {

/// A tensor of the file.
struct Term {
  Builder* builder = nullptr;
  std::string name = {};
  DType dtype = DType::float32;

  bool is_given() const { return !name.empty(); }
};

/// A node of one output, which has the dtype of the first input if none is given.
Term op(std::string_view name, const std::vector<Term>& inputs, const Attributes& attributes = {},
        std::optional<DType> dtype = std::nullopt);
/// One of several, all of that dtype.
std::vector<Term> ops(std::string_view name, const std::vector<Term>& inputs,
                      const Attributes& attributes, std::size_t outputs);

/// A node of one output of bool: "Less", "IsNaN".
Term test(std::string_view name, const std::vector<Term>& inputs,
          const Attributes& attributes = {});

/// A tensor of the file beside that term, a number of its dtype, a list of int64.
Term constant(const Term& beside, const Tensor& tensor);
Term number(const Term& beside, double value);
Term ints(const Term& beside, const Ints& values);

/// The term itself where it has the dtype.
Term cast(const Term& x, DType dtype);
/// In float32 where it has 16 bits.
Term widened(const Term& x);

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator+(const Term& a, double b);
Term operator-(const Term& a, double b);
Term operator*(const Term& a, double b);
Term operator/(const Term& a, double b);
Term operator-(double a, const Term& b);

/// Elements start to end of an axis.
Term slice(const Term& x, std::int64_t axis, std::int64_t start, std::int64_t end,
           std::int64_t step = 1);
Term transpose(const Term& x, const Ints& order);
/// To extents that are known, one of which may be -1.
Term reshape(const Term& x, const Ints& dims);
Term unsqueeze(const Term& x, const Ints& axes);
Term squeeze(const Term& x, const Ints& axes);
Term concat(const std::vector<Term>& parts, std::int64_t axis);
/// a where the condition holds, else b.
Term where(const Term& condition, const Term& a, const Term& b);

}  // namespace aclgrad::onnx::saving
