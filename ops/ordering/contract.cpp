// SPDX-License-Identifier: Apache-2.0
// Elements in order, and what stands in the middle, or k-th.
#include <algorithm>
#include <numeric>

#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_sort.h"
#include "ops/ordering/ordering_contract.h"

namespace aclgrad::contract {
namespace {

// The places of numbers in order; equal ones keep theirs.
std::vector<size_t> order_of(const std::vector<Number>& x, bool descending) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, [&](size_t i, size_t j) { return descending ? x[i] > x[j] : x[i] < x[j]; });
  return order;
}

std::vector<Number> elements_of(const Array& self, const std::vector<size_t>& line) {
  std::vector<Number> elements;
  for (const size_t i : line) elements.push_back(self.values[i]);
  return elements;
}

// ---- Sorting ------------------------------------------------------------------------------------

Arrays sorted(const Arguments& a, const Arrays& in) {
  Array values = in[0], places = in[0];
  dense::for_each_line(in[0].shape, axis_of(a, in[0].shape), [&](const std::vector<size_t>& line) {
    const std::vector<size_t> order =
        order_of(elements_of(in[0], line), a.number("descending") != 0);
    for (size_t i = 0; i < line.size(); ++i) {
      values.values[line[i]] = in[0].values[line[order[i]]];
      places.values[line[i]] = static_cast<Number>(order[i]);
    }
  });
  return {values, places};
}

void add_sorting(std::vector<Operator>& all) {
  const auto arrange = [](Arguments& a) {
    ordered_axis(a);
    a.reshape({"values", "indices"}, a.shape("self"));
  };
  const Parameter self = in("self"), dim = integer("dim", -1), descending = flag("descending");
  const Parameter indices = typed(out("indices"), ACL_INT64);
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSort, self, flag("stable", true), dim, descending, out("values"),
                           indices),
      .domain = {.everywhere = kOrdered + DTypes{ACL_BOOL},
                 .base_shape = {kN, 3, 5},
                 .arrange = arrange,
                 .samples = {{{{"dim", -1.0}}},
                             {{{"dim", 1.0}, {"descending", 1.0}}},
                             {{{"dim", 0.0}, {"stable", 0.0}}}},
                 .value_samples = {{{{"self", Shape{3000, 2}}, {"dim", 0.0}}},
                                   {{{"self", Shape{2, 3000}}, {"descending", 1.0}}},
                                   {{{"self", Shape{60, 40}}}}}},
      .results = {.reference = sorted, .bound = kExact, .nan_goes_through = false},
      .error_inputs = {bad_dim(2), bad_dim(-3)},
      .words = {"the elements along dim in order, and their places; equal ones keep their order",
                "沿 dim 稳定排序及原位置", "sort(x, dim, descending)", "sort"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnArgsort, self, dim, descending, indices),
      .domain = {.everywhere = kOrdered + DTypes{ACL_BOOL},
                 .arrange = arrange,
                 .samples = {{{{"dim", -1.0}}}, {{{"dim", 0.0}, {"descending", 1.0}}}}},
      .results = {.reference = [](const Arguments& a,
                                  const Arrays& in) { return Arrays{sorted(a, in)[1]}; },
                  .bound = kExact,
                  .nan_goes_through = false},
      .error_inputs = {bad_dim(2), bad_dim(-3)},
      .words = {"the places of the elements along dim in order", "沿 dim 排序的原位置",
                "argsort(x, dim, descending)", "argsort"},
  });
}

// ---- Medians and the k-th -----------------------------------------------------------------------

// The element that stands at a place in order, and its own place, or that of the first equal one.
struct Chosen {
  Number value, place;
};
Chosen chosen(const std::vector<Number>& x, size_t at, bool first_of_equals) {
  const std::vector<size_t> order = order_of(x, false);
  const Number value = x[order[at]];
  const size_t first = static_cast<size_t>(std::ranges::find(x, value) - x.begin());
  return {value, static_cast<Number>(first_of_equals ? first : order[at])};
}

Arrays chosen_along(const Arguments& a, const Arrays& in) {
  const bool has_k = a.has("k");
  Array values{a.shape("values"), {}}, places = values;
  dense::for_each_line(in[0].shape, axis_of(a, in[0].shape), [&](const std::vector<size_t>& line) {
    const size_t at = has_k ? static_cast<size_t>(a.number("k")) - 1 : (line.size() - 1) / 2;
    const auto [value, place] = chosen(elements_of(in[0], line), at, !has_k);
    values.values.push_back(value);
    places.values.push_back(place);
  });
  return {values, places};
}

Arrays median_of_all(const Arguments&, const Arrays& in) {
  return {{{}, {chosen(in[0].values, (in[0].values.size() - 1) / 2, true).value}}};
}

void arrange_choice(Arguments& a) {
  Shape shape = a.shape("self");
  const size_t axis = ordered_axis(a);
  if (a.has("k") && (a.number("k") < 1 || a.number("k") > static_cast<Number>(shape[axis]))) {
    throw std::invalid_argument("k is no place along dim");
  }
  if (a.number("keepdim") != 0) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<ptrdiff_t>(axis));
  }
  a.reshape({"values", "indices"}, shape);
}

Operator choice(Signature call, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kOrdered,
                     .base_shape = {kN, 3, 5},
                     .arrange = arrange_choice,
                     .samples = {{{{"dim", -1.0}}},
                                 {{{"dim", 1.0}, {"keepdim", 1.0}}},
                                 {{{"dim", 0.0}, {"indices", ACL_INT32}}}},
                     .value_samples = {{{{"self", Shape{3, 301}}}},
                                       {{{"self", Shape{1000, 3}}, {"dim", 0.0}}}}},
          .results = {.reference = chosen_along, .bound = kExact, .nan_goes_through = false},
          .error_inputs = {bad_dim(2),
                           bad_dim(-3),
                           {.what = "without elements along dim",
                            .changes = {{"self", TensorSpec{{2, 0}}}},
                            .words = {"size 0"}}},
          .words = std::move(words)};
}

Operator of_all(Signature call, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kOrdered,
                     .arrange = [](Arguments& a) { a.tensor("self").any_shape = true; },
                     .value_samples = {{{{"self", Shape{1001}}}}, {{{"self", Shape{33, 64}}}}}},
          .results = {.reference = median_of_all, .bound = kExact, .nan_goes_through = false},
          .error_inputs = {{.what = "of INT32 without an element",
                            .changes = {{"self", TensorSpec{.shape = {0}, .dtype = ACL_INT32}}},
                            .words = {"must have an element"},
                            .dtype = ACL_INT32}},
          .words = std::move(words)};
}

void add_choices(std::vector<Operator>& all) {
  const Parameter self = in("self"), one = shaped(out("out"), {});
  all.push_back(
      of_all(ACLGRAD_CALL(aclnnMedian, self, one),
             {"the median of all elements, of two the lower; NaN if there is one",
              "所有元素的中位数，偶数个时取较小者；有 NaN 则为 NaN", "median(x)", "median"}));
  all.push_back(of_all(ACLGRAD_CALL(aclnnNanMedian, self, one),
                       {"the median of all elements but NaN", "除 NaN 外所有元素的中位数",
                        "nanmedian(x)", "nanmedian"}));
  const Parameter dim = integer("dim", -1), keep = flag("keepdim");
  const Parameter values = shaped(out("values"), {2});
  const Parameter indices = typed(shaped(out("indices"), {2}), ACL_INT64);
  all.push_back(choice(
      ACLGRAD_CALL(aclnnMedianDim, self, dim, keep, values, indices),
      {"the median along dim, of two the lower, or the first NaN, and the place of the first such",
       "沿 dim 的中位数（偶数个取较小者，有 NaN 取首个 NaN）及其首个位置",
       "median(x, dim, keepdim)", "median_dim"}));
  all.push_back(choice(
      ACLGRAD_CALL(aclnnNanMedianDim, self, dim, keep, values, indices),
      {"the median along dim of what is no NaN, and the place of the first such",
       "沿 dim 除 NaN 外的中位数及其首个位置", "nanmedian(x, dim, keepdim)", "nanmedian_dim"}));
  Operator kth =
      choice(ACLGRAD_CALL(aclnnKthvalue, self, integer("k", 1), dim, keep, values, indices),
             {"the k-th smallest along dim, and its place", "沿 dim 的第 k 小元素及其位置",
              "kthvalue(x, k, dim, keepdim)", "kthvalue"});
  kth.domain.samples = {{{{"k", 3.0}}},
                        {{{"k", 2.0}, {"dim", 1.0}, {"keepdim", 1.0}}},
                        {{{"k", 1.0}, {"dim", 0.0}, {"indices", ACL_INT32}}}};
  kth.domain.value_samples = {{{{"k", 150.0}, {"self", Shape{3, 301}}}}};
  kth.error_inputs.push_back(wrong_number("k", 0, "[1, 4]"));
  kth.error_inputs.push_back(wrong_number("k", 5, "[1, 4]"));
  all.push_back(kth);
}

}  // namespace

FamilyContracts ordering_contracts() {
  FamilyContracts family{{"Sorting and searching", "排序与查找"}, {}};
  add_sorting(family.operators);
  add_choices(family.operators);
  add_unique(family.operators);
  add_searches(family.operators);
  return family;
}

}  // namespace aclgrad::contract
