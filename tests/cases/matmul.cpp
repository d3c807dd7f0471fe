// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "tests/cases/families.h"

namespace aclgrad::cases {
namespace {

constexpr int64_t kInner = 7;
constexpr int64_t kColumns = 5;
constexpr float kBeta = 0.5f;
constexpr float kAlpha = -2.0f;

// [..., m, K] x [K, n] as sums of products, of the values or of their magnitudes.
Array multiply(const Array& a, const Array& b, bool magnitudes) {
  const auto inner = static_cast<size_t>(b.shape[0]);
  const auto columns = static_cast<size_t>(b.shape[1]);
  const size_t rows = a.values.size() / inner;
  Array out{a.shape, std::vector<long double>(rows * columns, 0)};
  out.shape.back() = b.shape[1];
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < inner; ++k) {
      for (size_t j = 0; j < columns; ++j) {
        const long double term = a.values[i * inner + k] * b.values[k * columns + j];
        out.values[i * columns + j] += magnitudes ? std::fabs(term) : term;
      }
    }
  }
  return out;
}

Reference product(bool magnitudes) {
  return [magnitudes](const Arrays& in) { return Arrays{multiply(in[0], in[1], magnitudes)}; };
}

// Inputs: self [m, n] or [n], mat1, mat2.
Reference sum_of_product(bool magnitudes) {
  return [magnitudes](const Arrays& in) {
    Array out = multiply(in[1], in[2], magnitudes);
    for (size_t i = 0; i < out.values.size(); ++i) {
      const long double term = kBeta * in[0].values[i % in[0].values.size()];
      const long double scaled = (magnitudes ? std::fabs(kAlpha) : kAlpha) * out.values[i];
      out.values[i] = scaled + (magnitudes ? std::fabs(term) : term);
    }
    return Arrays{out};
  };
}

Case row(std::string api, std::string attributes, std::vector<Slot> inputs, Slot out,
         PhaseOne phase_one, PhaseTwo phase_two, const std::function<Reference(bool)>& reference) {
  return {.api = std::move(api),
          .attributes = std::move(attributes),
          .dtypes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16},
          .inputs = std::move(inputs),
          .outputs = {std::move(out)},
          .phase_one = std::move(phase_one),
          .phase_two = phase_two,
          .reference = reference(false),
          // Any order of a sum of K products in float32 stays within K+1 roundings of the terms.
          .max_ulp = kInner + 2,
          .max_ulp_16bit = 1,
          .magnitude = reference(true)};
}

}  // namespace

std::vector<Case> matmul_cases() {
  const aclScalar* beta = scalar(kBeta);
  const aclScalar* alpha = scalar(kAlpha);
  const Slot mat1{{kN, kInner}};
  const Slot mat2{{kInner, kColumns}};
  const Slot out{{kN, kColumns}};
  const auto addmm = [=](auto t, auto* size, auto** executor) {
    return aclnnAddmmGetWorkspaceSize(t[0], t[1], t[2], beta, alpha, t[3], 0, size, executor);
  };
  return {
      row(
          "aclnnMatmul", "", {mat1, mat2}, out,
          [](auto t, auto* size, auto** executor) {
            return aclnnMatmulGetWorkspaceSize(t[0], t[1], t[2], 0, size, executor);
          },
          aclnnMatmul, product),
      row(
          "aclnnMatmul", "batched", {{{2, kN, kInner}}, mat2}, {{2, kN, kColumns}},
          [](auto t, auto* size, auto** executor) {
            return aclnnMatmulGetWorkspaceSize(t[0], t[1], t[2], 0, size, executor);
          },
          aclnnMatmul, product),
      row(
          "aclnnMm", "", {mat1, mat2}, out,
          [](auto t, auto* size, auto** executor) {
            return aclnnMmGetWorkspaceSize(t[0], t[1], t[2], 0, size, executor);
          },
          aclnnMm, product),
      row("aclnnAddmm", "", {out, mat1, mat2}, out, addmm, aclnnAddmm, sum_of_product),
      row("aclnnAddmm", "bias", {{{kColumns}}, mat1, mat2}, out, addmm, aclnnAddmm, sum_of_product),
      row(
          "aclnnInplaceAddmm", "", {out, mat1, mat2}, {.shape = {kN, kColumns}, .aliases = 0},
          [=](auto t, auto* size, auto** executor) {
            return aclnnInplaceAddmmGetWorkspaceSize(t[0], t[1], t[2], beta, alpha, 0, size,
                                                     executor);
          },
          aclnnInplaceAddmm, sum_of_product),
  };
}

}  // namespace aclgrad::cases
