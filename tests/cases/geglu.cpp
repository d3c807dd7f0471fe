// SPDX-License-Identifier: Apache-2.0
// GEGLU splits one dimension in two halves; every dimension of a rank-4 tensor has its rows.
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "tests/cases/families.h"
#include "tests/cases/gelu_formulas.h"

namespace aclgrad::cases {
namespace {

struct Variant {
  int64_t dim;
  bool tanh_form;
  bool activate_left;
};

std::vector<int64_t> halved(std::vector<int64_t> shape, size_t axis) {
  shape[axis] /= 2;
  return shape;
}

// Calls visit(position in the half-sized tensor, position of A, position of B in the full one).
void for_each_pair(const std::vector<int64_t>& shape, size_t axis, auto visit) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t half = shape[axis] / 2 * inner;
  const int64_t outer = count_of(shape) / (2 * half);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < half; ++i) {
      visit(static_cast<size_t>(o * half + i), static_cast<size_t>(o * 2 * half + i),
            static_cast<size_t>((o * 2 + 1) * half + i));
    }
  }
}

Reference forward_reference(const Variant& v) {
  return [v](const Arrays& inputs) {
    const Array& self = inputs[0];
    const auto axis = static_cast<size_t>(v.dim);
    Array out{halved(self.shape, axis), {}};
    out.values.resize(self.values.size() / 2);
    Array activated = out;
    for_each_pair(self.shape, axis, [&](size_t to, size_t left, size_t right) {
      const long double gate = self.values[v.activate_left ? left : right];
      activated.values[to] = gelu(gate, v.tanh_form);
      out.values[to] = activated.values[to] * self.values[v.activate_left ? right : left];
    });
    return Arrays{out, activated};
  };
}

// Inputs: gradOutput, self, gelu (used as given).
Reference backward_reference(const Variant& v) {
  return [v](const Arrays& inputs) {
    const Array& self = inputs[1];
    Array gradient{self.shape, std::vector<long double>(self.values.size())};
    for_each_pair(self.shape, static_cast<size_t>(v.dim),
                  [&](size_t at, size_t left, size_t right) {
                    const auto [gate, factor] =
                        v.activate_left ? std::pair(left, right) : std::pair(right, left);
                    const long double g = inputs[0].values[at];
                    gradient.values[factor] = g * inputs[2].values[at];
                    gradient.values[gate] =
                        g * self.values[factor] * gelu_slope(self.values[gate], v.tanh_form);
                  });
    return Arrays{gradient};
  };
}

std::string describe(const Variant& v) {
  return "dim=" + std::to_string(v.dim) + " approximate=" + (v.tanh_form ? "1" : "0") +
         " activateLeft=" + (v.activate_left ? "true" : "false");
}

// Sizes along every axis are even; the first is the one that grows.
const std::vector<int64_t> kFull = {kN, 4, 2, 6};

std::vector<int64_t> half_shape(size_t axis) {
  return axis == 0 ? std::vector<int64_t>{kHalfN, 4, 2, 6} : halved(kFull, axis);
}

}  // namespace

std::vector<Case> geglu_cases() {
  std::vector<Case> rows;
  for (int64_t dim = 0; dim < 4; ++dim) {
    for (bool tanh_form : {false, true}) {
      for (bool activate_left : {false, true}) {
        const Variant v{dim, tanh_form, activate_left};
        const int64_t approximate = tanh_form ? 1 : 0;
        const std::vector<int64_t> half = half_shape(static_cast<size_t>(dim));
        rows.push_back({.api = "aclnnGeGluV3",
                        .attributes = describe(v),
                        .dtypes = kFloatTypes,
                        .inputs = {{kFull}},
                        .outputs = {{half}, {half}},
                        .phase_one =
                            [=](auto t, auto* size, auto** executor) {
                              return aclnnGeGluV3GetWorkspaceSize(t[0], dim, approximate,
                                                                  activate_left, t[1], t[2], size,
                                                                  executor);
                            },
                        .phase_two = aclnnGeGluV3,
                        .reference = forward_reference(v),
                        .max_ulp = kUlpOfProduct});
        rows.push_back(
            {.api = "aclnnGeGluV3Backward",
             .attributes = describe(v),
             .dtypes = kFloatTypes,
             .inputs = {{half}, {kFull}, {half}},
             .outputs = {{kFull}},
             .phase_one =
                 [=](auto t, auto* size, auto** executor) {
                   return aclnnGeGluV3BackwardGetWorkspaceSize(t[0], t[1], t[2], dim, approximate,
                                                               activate_left, t[3], size, executor);
                 },
             .phase_two = aclnnGeGluV3Backward,
             .reference = backward_reference(v),
             .max_ulp = kUlpOfProduct,
             .derivative_of = DerivativeOf{"aclnnGeGluV3 " + describe(v),
                                           [](const Arrays& x, const Arrays& y, const Array& g) {
                                             return Arrays{g, x[0], y[1]};
                                           }}});
      }
    }
  }
  // The older entry points: the right half is activated.
  for (bool tanh_form : {false, true}) {
    const Variant v{3, tanh_form, false};
    const int64_t approximate = tanh_form ? 1 : 0;
    const std::vector<int64_t> half = half_shape(3);
    const std::string attributes = "dim=-1 approximate=" + std::to_string(approximate);
    rows.push_back({.api = "aclnnGeGlu",
                    .attributes = attributes,
                    .dtypes = kFloatTypes,
                    .inputs = {{kFull}},
                    .outputs = {{half}, {half}},
                    .phase_one =
                        [=](auto t, auto* size, auto** executor) {
                          return aclnnGeGluGetWorkspaceSize(t[0], -1, approximate, t[1], t[2], size,
                                                            executor);
                        },
                    .phase_two = aclnnGeGlu,
                    .reference = forward_reference(v),
                    .max_ulp = kUlpOfProduct});
    rows.push_back(
        {.api = "aclnnGeGluBackward",
         .attributes = attributes,
         .dtypes = kFloatTypes,
         .inputs = {{half}, {kFull}, {half}},
         .outputs = {{kFull}},
         .phase_one =
             [=](auto t, auto* size, auto** executor) {
               return aclnnGeGluBackwardGetWorkspaceSize(t[0], t[1], t[2], -1, approximate, t[3],
                                                         size, executor);
             },
         .phase_two = aclnnGeGluBackward,
         .reference = backward_reference(v),
         .max_ulp = kUlpOfProduct,
         .derivative_of = DerivativeOf{"aclnnGeGlu " + attributes,
                                       [](const Arrays& x, const Arrays& y, const Array& g) {
                                         return Arrays{g, x[0], y[1]};
                                       }}});
  }
  return rows;
}

}  // namespace aclgrad::cases
