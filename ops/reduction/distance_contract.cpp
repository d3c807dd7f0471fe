// SPDX-License-Identifier: Apache-2.0
// Distances between rows.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_cdist.h"
#include "aclnnop/aclnn_cdist_backward.h"
#include "ops/contract/dense.h"
#include "ops/reduction/reduction_contract.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kRows = 3;  // of x2

Shape row_of(const Shape& at, int64_t row, int64_t column) {
  Shape place = at;
  place[place.size() - 2] = row;
  place.back() = column;
  return place;
}

Parameter norm() { return declared({"p", 2.0}, "float"); }

Number p_of(const Arguments& a) {
  const Number p = a.number("p");
  return p == -1 ? HUGE_VALL : p;
}

void arrange_distances(Arguments& a) {
  const Shape x1 = a.shape("x1");
  if (x1.size() < 2) throw std::invalid_argument("distances are between rows");
  Shape x2 = x1, distances = x1;
  x2[x2.size() - 2] = kRows;
  distances.back() = kRows;
  if (!a.is_set("x2")) a.shape("x2") = x2;
  a.reshape({"out", "grad", "cdist"}, distances);
  a.reshape({"gradX1"}, x1);
}

Arrays distances(const Arguments& a, const Arrays& in) {
  const Number p = p_of(a);
  return {dense::generate(a.shape("out"), [&](const Shape& at) {
    std::vector<Number> differences;
    for (int64_t m = 0; m < in[0].shape.back(); ++m) {
      differences.push_back(dense::at(in[0], row_of(at, at[at.size() - 2], m)) -
                            dense::at(in[1], row_of(at, at.back(), m)));
    }
    return norm_of(differences, p);
  })};
}

// Inputs: grad, x1, x2, cdist.
template <bool kMagnitudes>
Arrays distance_gradient(const Arguments& a, const Arrays& in) {
  const Number p = p_of(a);
  return {dense::generate(a.shape("gradX1"), [&](const Shape& at) {
    Number sum = 0;
    for (int64_t r = 0; r < in[2].shape[in[2].shape.size() - 2]; ++r) {
      Shape of = at;
      of.back() = r;
      const Number g = dense::at(in[0], of), e = dense::at(in[3], of);
      const Number d = dense::at(in[1], at) - dense::at(in[2], row_of(at, r, at.back()));
      const Number sign = d > 0 ? 1 : d < 0 ? -1 : 0;
      Number slope = 0;
      if (p == 1) {
        slope = sign;
      } else if (std::isinf(p)) {
        slope = std::abs(d) == e ? sign : 0;
      } else if (p != 0 && e != 0 && d != 0) {
        slope = sign * std::pow(std::abs(d), p - 1) / std::pow(e, p - 1);
      }
      sum += dense::term<kMagnitudes>(g * slope);
    }
    return sum;
  })};
}

}  // namespace

void add_distances(std::vector<Operator>& all) {
  const Parameter x1 = shaped(in("x1", -4, 4), {2, 4}), x2 = shaped(in("x2", -4, 4), {3, 4});
  // Apart from each other, where distances have a derivative.
  const Parameter below = shaped(in("x1", -4, -0.5L), {2, 4}),
                  above = shaped(in("x2", 0.5L, 4), {3, 4});
  const double inf = HUGE_VAL;
  const std::vector<Sample> samples = samples_of("p", {2, 1, 0, 3, 1.5, inf});
  const std::vector<ErrorInput> error_inputs = {
      refused("p", "that is negative", -2.0, "at least 0"),
      refused("p", "that is no number", std::nan(""), "at least 0"),
      refused("x2", "of rows of another length", of_shape({3, 5}), "[3, 5]"),
      refused("x1", "without rows", of_shape({4}), "[4]")};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnCdist, below, above, norm(), no_option(integer("computeMode", 0)),
                           shaped(out("out"), {2, 3})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .arrange = arrange_distances,
                 .samples = samples,
                 .value_samples = {{{{"x1", Shape{600, 3}}}}, {{{"x1", Shape{3, 1100}}}}}},
      .results = {.reference = distances,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5005, .of_double = 64}},
      .error_inputs =
          error_inputs + std::vector{wrong_number("computeMode", 3, "is 3"),
                                     refused("out", "of another size", of_shape({3, 3}), "[2, 3]")},
      .words = {"distances between rows", "行间距离", "cdist(a, b, p)"},
  });
  // The largest differences are given exactly by none of the numbers drawn for cdist.
  const std::vector<Sample> with_slopes = samples_of("p", {2, 1, 0, 3, 1.5});
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnCdistBackward, shaped(in("grad"), {2, 3}), x1, x2,
                       shaped(in("cdist", 1, 8), {2, 3}), norm(), shaped(out("gradX1"), {2, 4})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .grows = false,
                 .base = "x1",
                 .arrange = arrange_distances,
                 .samples = with_slopes,
                 .value_samples = {{{{"x1", Shape{600, 3}}}}, {{{"x1", Shape{3, 1100}}}}}},
      .results = {.reference = distance_gradient<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5005, .of_double = 64},
                  .magnitude = distance_gradient<true>,
                  .nan_goes_through = false},
      .gradient =
          Gradient{.of = "aclnnCdist",
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
                         return Arrays{g, x[0], x[1], y[0]};
                       },
                   .is_zero = [](const Arguments& forward,
                                 std::string_view) { return forward.number("p") == 0; }},
      .error_inputs = error_inputs +
                      std::vector{refused("gradX1", "of another size", of_shape({3, 4}), "[2, 4]"),
                                  refused("grad", "of another size", of_shape({3, 3}), "[2, 3]"),
                                  refused("cdist", "of another size", of_shape({3, 3}), "[2, 3]")},
      .words = {"the gradient of distances for the rows of the first", "行间距离对第一组行的梯度",
                "", "cdist"},
  });
}

}  // namespace aclgrad::contract
