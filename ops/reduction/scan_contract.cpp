// SPDX-License-Identifier: Apache-2.0
// Running sums, products and extrema, and the first few elements in order.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_topk.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

int64_t size_along(const Arguments& a) {
  const Shape& shape = a.shape("self");
  const auto rank = static_cast<int64_t>(std::max<size_t>(shape.size(), 1));
  const auto dim = static_cast<int64_t>(a.number("dim"));
  if (dim < -rank || dim >= rank) {
    throw std::invalid_argument("dim " + std::to_string(dim) + " is not one of a tensor of rank " +
                                std::to_string(shape.size()));
  }
  return shape.empty() ? 1 : shape[axis_of(a, shape)];
}

// ---- Running sums and products ------------------------------------------------------------------

bool is_set_in(const Arguments& a, const char* flag) { return a.has(flag) && a.number(flag) != 0; }

Array running(const Arguments& a, const Array& self, bool magnitudes) {
  Array out = self;
  dense::for_each_line(self.shape, axis_of(a, self.shape), [&](std::vector<size_t> line) {
    if (is_set_in(a, "reverse")) std::ranges::reverse(line);
    const bool multiplies = a.op().name() == "aclnnCumprod";
    Number sum = multiplies ? 1 : 0;
    for (const size_t i : line) {
      const Number before = sum;
      const Number x = magnitudes ? std::abs(self.values[i]) : self.values[i];
      sum = multiplies ? sum * x : sum + x;
      out.values[i] = is_set_in(a, "exclusive") && !magnitudes ? before : sum;
    }
  });
  return out;
}

// self is converted to the result's dtype first; integers wrap.
Array cumsum(const Arguments& a, const Array& self) {
  const bool converts = a.has("dtype") && a.dtype_of("dtype") && a.dtype() != ACL_DT_UNDEFINED;
  const aclDataType to = converts ? *a.dtype_of("dtype") : a.dtype();
  if (to == ACL_DT_UNDEFINED) return running(a, self, false);
  const Array held =
      dense::map(self, [&](Number x) { return rounded(converted(x, a.dtype(), to), to); });
  return dense::map(running(a, held, false),
                    [to](Number x) { return is_whole(to) ? wrapped(x, to) : x; });
}

void arrange_cumsum(Arguments& a) {
  size_along(a);
  a.shape("out") = a.shape("self");
  if (a.has("dtype") && a.dtype_of("dtype")) a.tensor("out").dtype = a.dtype_of("dtype");
}

Results running_sums() {
  return {
      .reference = [](const Arguments& a, const Arrays& in) { return Arrays{cumsum(a, in[0])}; },
      .complex = Complex::kParts,
      .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 4},
      .magnitude = [](const Arguments& a,
                      const Arrays& in) { return Arrays{running(a, in[0], true)}; }};
}

// Into a dtype of its own everything goes that converts to it.
bool converts(const Arguments& a, std::string_view, aclDataType dtype) {
  const auto into = a.dtype_of("dtype");
  return into && is_complex(dtype) == is_complex(*into);
}

void add_cumsum(std::vector<Operator>& all) {
  const auto also_refuses = [](const Arguments& a, std::string_view product, aclDataType dtype) {
    return a.dtype_of("dtype") && !converts(a, product, dtype);
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnCumsum, promotes(any_dtype(in("self"))), integer("dim", -1),
                           option(dtype_named("dtype"), "into"), any_dtype(out("out"))),
      .domain = {.everywhere = without(kNumbers, ACL_BOOL),
                 .also_accepts = converts,
                 .also_refuses = also_refuses,
                 .arrange = arrange_cumsum,
                 .samples = {{{{"dim", -1.0}}},
                             {{{"dim", 0.0}}},
                             {{{"dim", 1.0}, {"dtype", ACL_FLOAT}}}}},
      .results = running_sums(),
      .error_inputs = {bad_dim(2), bad_dim(-3)},
      .words = {"running sums along dim", "沿 dim 的累加", "", "cumsum"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnCumsumV2, in("self"), integer("dim", -1), flag("exclusive"),
                           flag("reverse"), out("out")),
      .domain = {.everywhere = without(kNumbers, ACL_BOOL),
                 .arrange = arrange_cumsum,
                 .samples = {{{{"dim", -1.0}}},
                             {{{"dim", 1.0}, {"exclusive", 1.0}}},
                             {{{"dim", 0.0}, {"reverse", 1.0}}},
                             {{{"dim", -2.0}, {"exclusive", 1.0}, {"reverse", 1.0}}}},
                 .value_samples = {{{{"self", Shape{3000, 3}}, {"dim", 0.0}}},
                                   {{{"self", Shape{2, 3000}}, {"dim", 1.0}, {"exclusive", 1.0}}}}},
      .results = running_sums(),
      .error_inputs = {bad_dim(2), bad_dim(-3)},
      .words = {"running sums along dim, with the element itself or without, from either end",
                "沿 dim 的累加，可不含自身，可反向", "cumsum(x, dim, options)", "cumsum_v2"},
  });
  const auto wrong_dim = [](double dim) {
    return refused("dim", "out of range", ScalarSpec{dim, ACL_INT64}, "[-2, 1]");
  };
  Operator products = *(all.end() - 2);
  products.call =
      ACLGRAD_CALL(aclnnCumprod, promotes(any_dtype(in("self", -2, 2))), number("dim", -1),
                   option(dtype_named("dtype"), "into"), any_dtype(out("out")));
  products.error_inputs = {wrong_dim(2), wrong_dim(-3)};
  products.results.complex = Complex::kUnknown;  // parts mix
  products.results.bound.of_double = 40;         // every product rounds
  products.words = {"running products along dim", "沿 dim 的累乘", "cumprod(x, dim)", "cumprod"};
  all.push_back(products);
}

// ---- The largest and the smallest so far --------------------------------------------------------

template <bool kLargest>
Arrays running_extremum(const Arguments& a, const Arrays& in) {
  Array values = in[0], places = in[0];
  dense::for_each_line(in[0].shape, axis_of(a, in[0].shape), [&](const std::vector<size_t>& line) {
    size_t best = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      const Number x = in[0].values[line[i]], most = in[0].values[line[best]];
      if (kLargest ? x >= most : x <= most) best = i;
      values.values[line[i]] = in[0].values[line[best]];
      places.values[line[i]] = static_cast<Number>(best);
    }
  });
  return {values, places};
}

void add_running_extrema(std::vector<Operator>& all) {
  const auto add = [&](Signature call, Reference reference, Words words) {
    all.push_back(
        {.call = std::move(call),
         .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT16, ACL_INT32,
                                                            ACL_INT64, ACL_UINT8, ACL_BOOL},
                    .arrange =
                        [](Arguments& a) {
                          size_along(a);
                          a.reshape({"values", "indices"}, a.shape("self"));
                        },
                    .samples = {{{{"dim", -1.0}}},
                                {{{"dim", 0.0}}},
                                {{{"dim", 1.0}, {"indices", ACL_INT32}}}},
                    .value_samples = {{{{"self", Shape{3000, 3}}, {"dim", 0.0}}},
                                      {{{"self", Shape{2, 3000}}, {"dim", 1.0}}}}},
         .results = {.reference = std::move(reference), .bound = kExact, .nan_goes_through = false},
         .error_inputs = {bad_dim(2), bad_dim(-3)},
         .words = std::move(words)});
  };
  const Parameter self = in("self"), dim = integer("dim", -1), values = out("values");
  const Parameter indices = typed(out("indices"), ACL_INT64);
  add(ACLGRAD_CALL(aclnnCummax, self, dim, values, indices), running_extremum<true>,
      {"the largest so far along dim, and the place of the last such element",
       "沿 dim 的累积最大值及其最后位置", "cummax(x, dim)", "cummax"});
  add(ACLGRAD_CALL(aclnnCummin, self, dim, values, indices), running_extremum<false>,
      {"the smallest so far along dim, and the place of the last such element",
       "沿 dim 的累积最小值及其最后位置", "cummin(x, dim)", "cummin"});
}

// ---- In order -----------------------------------------------------------------------------------

Arrays topk(const Arguments& a, const Arrays& in) {
  const Array& self = in[0];
  Array values{a.shape("valuesOut"), {}};
  values.values.resize(static_cast<size_t>(count_of(values.shape)));
  Array places = values;
  std::vector<std::vector<size_t>> taken;
  const size_t axis = axis_of(a, self.shape);
  dense::for_each_line(values.shape, axis, [&](const auto& line) { taken.push_back(line); });
  auto next = taken.begin();
  dense::for_each_line(self.shape, axis, [&](const std::vector<size_t>& line) {
    std::vector<size_t> order(line.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t i, size_t j) {
      const Number x = self.values[line[i]], y = self.values[line[j]];
      return a.number("largest") != 0 ? x > y : x < y;
    });
    for (size_t k = 0; k < next->size(); ++k) {
      values.values[(*next)[k]] = self.values[line[order[k]]];
      places.values[(*next)[k]] = static_cast<Number>(order[k]);
    }
    ++next;
  });
  return {values, places};
}

ErrorInput bad_k(int64_t k) { return wrong_number("k", k, "[0, 4]"); }

void add_topk(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    const auto k = static_cast<int64_t>(a.number("k"));
    if (k < 0 || k > size_along(a)) {
      throw std::invalid_argument("k = " + std::to_string(k) + " is more than the size along dim");
    }
    Shape shape = a.shape("self");
    if (!shape.empty()) shape[axis_of(a, shape)] = k;
    a.shape("valuesOut") = a.shape("indicesOut") = shape;
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnTopk, in("self"), integer("k", 1), integer("dim", -1),
                           flag("largest", true), flag("sorted", true),
                           shaped(out("valuesOut"), {2, 1}),
                           typed(shaped(out("indicesOut"), {2, 1}), ACL_INT64)),
      .domain = {.everywhere = kFloatsAndDouble +
                               DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8},
                 .base_shape = {kN, 3, 5},
                 .arrange = arrange,
                 .samples = {{{{"k", 3.0}, {"dim", -1.0}}},
                             {{{"k", 2.0}, {"dim", 1.0}, {"largest", 0.0}}},
                             {{{"k", 1.0}, {"dim", 0.0}}},
                             {{{"k", 3.0}, {"dim", -2.0}, {"sorted", 0.0}}}},
                 .value_samples = {{{{"self", Shape{70, 300}}, {"k", 5.0}, {"dim", -1.0}}}}},
      .results = {.reference = topk, .bound = kExact, .nan_goes_through = false},
      .error_inputs = {bad_dim(2), bad_dim(-3), bad_k(5), bad_k(-1)},
      .words = {"the k largest or smallest along dim, in order, and their places",
                "沿 dim 的前 k 个最大或最小元素及其位置", "topk(x, k, dim)", "topk"},
  });
}

}  // namespace

void add_scans(std::vector<Operator>& all) {
  add_cumsum(all);
  add_running_extrema(all);
  add_topk(all);
}

}  // namespace aclgrad::contract
