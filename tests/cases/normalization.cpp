// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr int64_t kLast = 5;

// ---- Softmax ------------------------------------------------------------------------------------

// Along the last dimension.
template <class Row>
Array by_rows(const Array& shaped, const Row& row) {
  Array out = shaped;
  const auto width = static_cast<size_t>(out.shape.back());
  for (size_t first = 0; first < out.values.size(); first += width) {
    row(first, width, out.values.data() + first);
  }
  return out;
}

Arrays softmax(const Arrays& in) {
  return {by_rows(in[0], [&](size_t, size_t width, long double* row) {
    long double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += row[i] = std::exp(row[i]);
    for (size_t i = 0; i < width; ++i) row[i] /= sum;
  })};
}

// Inputs: gradOutput, output. With kMagnitude, what the cancelling difference is made of.
template <bool kMagnitude>
Arrays softmax_backward(const Arrays& in) {
  const auto part = [](long double x) { return kMagnitude ? std::fabs(x) : -x; };
  return {by_rows(in[0], [&](size_t first, size_t width, long double* row) {
    const long double* const y = in[1].values.data() + first;
    long double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += part(row[i] * y[i]);
    for (size_t i = 0; i < width; ++i) {
      row[i] = y[i] * ((kMagnitude ? std::fabs(row[i]) : row[i]) + sum);
    }
  })};
}

std::vector<Case> softmax_cases() {
  const std::vector<int64_t> shape = {kN, 3, kLast};
  const std::vector<aclDataType> dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
  return {{.api = "aclnnSoftmax",
           .attributes = "dim=-1",
           .dtypes = dtypes,
           .inputs = {{shape}},
           .outputs = {{shape}},
           .phase_one =
               [](auto t, auto* size, auto** executor) {
                 return aclnnSoftmaxGetWorkspaceSize(t[0], -1, t[1], size, executor);
               },
           .phase_two = aclnnSoftmax,
           .reference = softmax,
           .max_ulp = 0.501,
           .max_ulp_16bit = 0.501,
           // Exponentials are good to 2^-49.
           .max_ulp_double = 16},
          {.api = "aclnnSoftmaxBackward",
           .attributes = "dim=-1",
           .dtypes = dtypes,
           .inputs = {{shape}, {shape, 0, 1}},
           .outputs = {{shape}},
           .phase_one =
               [](auto t, auto* size, auto** executor) {
                 return aclnnSoftmaxBackwardGetWorkspaceSize(t[0], t[1], -1, t[2], size, executor);
               },
           .phase_two = aclnnSoftmaxBackward,
           .reference = softmax_backward<false>,
           .max_ulp = 0.51,
           .max_ulp_16bit = 0.51,
           .max_ulp_double = 3,
           .magnitude = softmax_backward<true>,
           .derivative_of = DerivativeOf{"aclnnSoftmax dim=-1",
                                         [](const Arrays&, const Arrays& y, const Array& g) {
                                           return Arrays{g, y[0]};
                                         }}}};
}

// ---- Layer normalization ------------------------------------------------------------------------

constexpr double kEps = 1e-3;

// How a row of the table uses the operator: rows of [3, 5] or of [5], with a weight and a bias or
// without.
struct Form {
  size_t normalized;
  bool affine;

  std::vector<int64_t> normalized_shape() const {
    return normalized == 2 ? std::vector<int64_t>{3, kLast} : std::vector<int64_t>{kLast};
  }
  std::vector<int64_t> numbers_shape() const {
    return normalized == 2 ? std::vector<int64_t>{kN, 1, 1} : std::vector<int64_t>{kN, 3, 1};
  }
  size_t length() const { return static_cast<size_t>(count_of(normalized_shape())); }
};

long double weight_at(const Form& form, const Arrays& in, size_t which, size_t i) {
  return form.affine ? in[which].values[i] : 1;
}

// Inputs: input, and weight and bias if there are any. Outputs: out, mean, rstd.
template <bool kMagnitude>
Reference layer_norm(Form form) {
  return [form](const Arrays& in) {
    const std::vector<long double>& x = in[0].values;
    const size_t n = form.length();
    Array out = in[0];
    Array means, rstds;
    for (size_t first = 0; first < x.size(); first += n) {
      long double mean = 0, size = 0, variance = 0;
      for (size_t i = 0; i < n; ++i) mean += x[first + i] / static_cast<long double>(n);
      for (size_t i = 0; i < n; ++i) size += std::fabs(x[first + i]) / static_cast<long double>(n);
      for (size_t i = 0; i < n; ++i) {
        variance += (x[first + i] - mean) * (x[first + i] - mean) / static_cast<long double>(n);
      }
      const long double rstd = 1 / std::sqrt(variance + static_cast<long double>(kEps));
      for (size_t i = 0; i < n; ++i) {
        const long double scaled = (x[first + i] - mean) * rstd * weight_at(form, in, 1, i);
        const long double bias = form.affine ? in[2].values[i] : 0;
        out.values[first + i] = kMagnitude ? std::fabs(scaled) + std::fabs(bias) : scaled + bias;
      }
      means.values.push_back(kMagnitude ? size : mean);
      rstds.values.push_back(rstd);
    }
    return Arrays{out, means, rstds};
  };
}

// Inputs: gradOut, input, mean, rstd, and weight if there is one. Outputs: the three gradients.
template <bool kMagnitude>
Reference layer_norm_backward(Form form) {
  return [form](const Arrays& in) {
    const auto sign = [](long double x) { return kMagnitude ? std::fabs(x) : x; };
    const auto minus = [](long double x) { return kMagnitude ? std::fabs(x) : -x; };
    const size_t n = form.length();
    const auto count = static_cast<long double>(n);
    Array out = in[0];
    Array weight{form.normalized_shape(), std::vector<long double>(n)};
    Array bias = weight;
    for (size_t row = 0; row * n < out.values.size(); ++row) {
      const long double rstd = in[3].values[row];
      const auto gradient = [&](size_t i) { return in[0].values[row * n + i]; };
      const auto weighted = [&](size_t i) { return gradient(i) * weight_at(form, in, 4, i); };
      const auto normalized = [&](size_t i) {
        return (in[1].values[row * n + i] - in[2].values[row]) * rstd;
      };
      long double plain = 0, along = 0;
      for (size_t i = 0; i < n; ++i) {
        plain += sign(weighted(i)) / count;
        along += sign(weighted(i) * normalized(i)) / count;
        weight.values[i] += sign(gradient(i) * normalized(i));
        bias.values[i] += sign(gradient(i));
      }
      for (size_t i = 0; i < n; ++i) {
        out.values[row * n + i] =
            rstd * (sign(weighted(i)) + minus(plain) + minus(normalized(i) * along));
      }
    }
    return Arrays{out, weight, bias};
  };
}

const aclBoolArray* mask(bool input, bool weight, bool bias) {
  const bool values[] = {input, weight, bias};
  return aclCreateBoolArray(values, 3);  // kept as long as the table
}

Case layer_norm_case(const Form& form, std::optional<aclDataType> parameters,
                     const std::string& attributes) {
  const std::vector<int64_t> shape = {kN, 3, kLast};
  const Slot vector{.shape = form.normalized_shape(), .dtype = parameters};
  const Slot numbers{.shape = form.numbers_shape(), .dtype = parameters};
  return {
      .api = "aclnnLayerNorm",
      .attributes = attributes,
      .dtypes = kFloatTypes,
      .inputs =
          form.affine ? std::vector<Slot>{{shape}, vector, vector} : std::vector<Slot>{{shape}},
      .outputs = {{shape}, numbers, numbers},
      .phase_one =
          [form, sizes = int_array(form.normalized_shape())](auto t, auto* size, auto** executor) {
            aclTensor* const* out = t.data() + (form.affine ? 3 : 1);
            return aclnnLayerNormGetWorkspaceSize(t[0], sizes, form.affine ? t[1] : nullptr,
                                                  form.affine ? t[2] : nullptr, kEps, out[0],
                                                  out[1], out[2], size, executor);
          },
      .phase_two = aclnnLayerNorm,
      .reference = layer_norm<false>(form),
      .max_ulp = 0.501,
      .max_ulp_16bit = 0.5001,  // the result in FLOAT, rounded again: 0.501 ulp of it are 2^-13
      .magnitude = layer_norm<true>(form)};
}

Case layer_norm_backward_case(const Form& form, std::optional<aclDataType> parameters,
                              const std::string& attributes) {
  const std::vector<int64_t> shape = {kN, 3, kLast};
  const Slot vector{.shape = form.normalized_shape(), .dtype = parameters};
  Slot mean{.shape = form.numbers_shape(), .low = -1, .high = 1, .dtype = parameters};
  Slot rstd{.shape = form.numbers_shape(), .low = 0.5L, .high = 2, .dtype = parameters};
  std::vector<Slot> inputs = {{shape}, {shape}, mean, rstd};
  if (form.affine) inputs.push_back(vector);
  return {.api = "aclnnLayerNormBackward",
          .attributes = attributes,
          .dtypes = kFloatTypes,
          .inputs = inputs,
          .outputs = {{shape}, vector, vector},
          .phase_one =
              [form, sizes = int_array(form.normalized_shape()), all = mask(true, true, true)](
                  auto t, auto* size, auto** executor) {
                aclTensor* const* out = t.data() + (form.affine ? 5 : 4);
                return aclnnLayerNormBackwardGetWorkspaceSize(
                    t[0], t[1], sizes, t[2], t[3], form.affine ? t[4] : nullptr, nullptr, all,
                    out[0], out[1], out[2], size, executor);
              },
          .phase_two = aclnnLayerNormBackward,
          .reference = layer_norm_backward<false>(form),
          .max_ulp = 0.501,
          .max_ulp_16bit = 0.501,
          .magnitude = layer_norm_backward<true>(form)};
}

std::vector<Case> layer_norm_cases() {
  const Form last{1, false};
  const Form affine{2, true};
  std::vector<Case> rows = {
      layer_norm_case(affine, std::nullopt, "normalizedShape=[3, 5]"),
      layer_norm_case(affine, ACL_FLOAT, "normalizedShape=[3, 5] FLOAT parameters"),
      layer_norm_case(last, std::nullopt, "normalizedShape=[5] no weight, no bias"),
      layer_norm_backward_case(affine, std::nullopt, "normalizedShape=[3, 5]"),
      layer_norm_backward_case(affine, ACL_FLOAT, "normalizedShape=[3, 5] FLOAT parameters"),
      layer_norm_backward_case(last, std::nullopt, "normalizedShape=[5] no weight, no bias")};
  rows[3].derivative_of =
      DerivativeOf{rows[0].name(), [](const Arrays& x, const Arrays& y, const Array& g) {
                     return Arrays{g, x[0], y[1], y[2], x[1]};
                   }};
  rows[5].derivative_of =
      DerivativeOf{rows[2].name(), [](const Arrays& x, const Arrays& y, const Array& g) {
                     return Arrays{g, x[0], y[1], y[2]};
                   }};
  Case some = rows[3];
  some.attributes = "normalizedShape=[3, 5] outputMask=[0, 1, 0]";
  some.phase_one = [sizes = int_array({3, kLast}), one = mask(false, true, false)](
                       auto t, auto* size, auto** executor) {
    return aclnnLayerNormBackwardGetWorkspaceSize(t[0], t[1], sizes, t[2], t[3], t[4], nullptr, one,
                                                  t[5], t[6], t[7], size, executor);
  };
  some.reference = [](const Arrays& in) {
    Arrays all = layer_norm_backward<false>(Form{2, true})(in);
    all[0].values.clear();
    all[2].values.clear();
    return all;
  };
  some.derivative_of = std::nullopt;
  rows.push_back(std::move(some));
  return rows;
}

}  // namespace

std::vector<Case> normalization_cases() {
  std::vector<Case> rows = softmax_cases();
  for (Case& row : layer_norm_cases()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace aclgrad::cases
