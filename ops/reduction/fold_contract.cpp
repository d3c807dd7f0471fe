// SPDX-License-Identifier: Apache-2.0
// Products, whether elements are true, the sum of a diagonal and of the tensors of a list.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_sum.h"
#include "aclnnop/aclnn_trace.h"
#include "ops/reduction/reduction_contract.h"

namespace aclgrad::contract {
namespace {

// As the call's dtype, or that of its tensors, has it.
Array held(const Arguments& a, const Array& self, aclDataType to) {
  return dense::map(self, [&](Number x) { return rounded(converted(x, a.dtype(), to), to); });
}

// ---- Whether elements are true ------------------------------------------------------------------

bool is_true(Number x) { return x != 0; }

void add_logical(std::vector<Operator>& all) {
  const auto whether = [](bool (*holds)(const std::vector<Number>&)) {
    return [holds](const Arguments& a, const Arrays& in) {
      return Arrays{reduced_by(a, in[0], [holds](const auto& x) -> Number { return holds(x); })};
    };
  };
  // Rows of nothing, of some and of all true elements, whatever is reduced.
  Parameter self = in("self");
  std::get<TensorSpec>(self.spec).elements = {0, 0, 0, 0, 1, 2, 1, 3, 0, 1, 0, -1, 0};
  const Parameter result = typed(shaped(out("out"), {2}), ACL_BOOL);
  const auto add = [&](Signature call, bool (*holds)(const std::vector<Number>&), Words words) {
    all.push_back(
        {.call = std::move(call),
         .domain = {.everywhere = kNumbers,
                    .arrange = reduce_shape,
                    .samples = {{{{"dim", Shape{}}}},
                                {{{"dim", Shape{0, -1}}}},
                                {{{"dim", Shape{1}}, {"keepdim", 1.0}}},
                                {{{"dim", Shape{-1}}, {"out", ACL_UINT8}}}},
                    .value_samples = large_samples("dim")},
         .results = {.reference = whether(holds), .bound = kExact, .nan_goes_through = false},
         .words = std::move(words)});
  };
  const Parameter dims = option(list("dim", {-1}), "dims"), keep = flag("keepdim");
  add(ACLGRAD_CALL(aclnnAll, self, dims, keep, result),
      [](const std::vector<Number>& x) { return std::ranges::all_of(x, is_true); },
      {"whether all elements over dimensions are true; an empty list: over all",
       "沿若干维是否所有元素为真；列表为空表示全部", "all(x, axes, keepdim)", "all"});
  add(ACLGRAD_CALL(aclnnAny, self, dims, keep, result),
      [](const std::vector<Number>& x) { return std::ranges::any_of(x, is_true); },
      {"whether any element over dimensions is true; an empty list: over all",
       "沿若干维是否有元素为真；列表为空表示全部", "any(x, axes, keepdim)", "any"});
}

// ---- Products -----------------------------------------------------------------------------------

// self is converted to the result's dtype first; integers wrap.
Arrays product(const Arguments& a, const Arrays& in) {
  const bool is_exact = a.dtype() == ACL_DT_UNDEFINED;
  const aclDataType to = is_exact ? a.dtype() : a.dtype_of("dtype").value_or(a.dtype());
  const Array self = is_exact ? in[0] : held(a, in[0], to);
  const auto of = [to](const std::vector<Number>& x) {
    Number all = 1;
    for (const Number each : x) all = is_whole(to) ? wrapped(all * each, to) : all * each;
    return all;
  };
  if (!a.has("dim")) return {{{}, {of(self.values)}}};
  return {reduced_by(a, self, of)};
}

void add_products(std::vector<Operator>& all) {
  // The logarithms of magnitudes are 0 on the average, so that products of thousands stay finite.
  const Parameter self = any_dtype(in("self", -2.71L, 2.71L));
  const Parameter into = option(dtype_named("dtype"), "into");
  const ErrorInput unknown =
      refused("dtype", "that is not in the list", DtypeSpec{ACL_UINT16}, "DT_UINT16");
  const ErrorInput other =
      refused("dtype", "that is not out's", DtypeSpec{ACL_FLOAT16}, "DT_FLOAT16");
  // Of DOUBLE each factor rounds once.
  const Results results{.reference = product,
                        .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 200}};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnProd, self, into, any_dtype(shaped(out("out"), {}))),
      .domain = {.everywhere = kNumbers,
                 .arrange =
                     [](Arguments& a) {
                       a.tensor("self").any_shape = true;
                       if (a.dtype_of("dtype")) a.tensor("out").dtype = a.dtype_of("dtype");
                     },
                 .samples = {{}, {{{"dtype", ACL_FLOAT}}}},
                 .value_samples = {{{{"self", Shape{9000}}}}, {{{"self", Shape{33, 65}}}}}},
      .results = results,
      .error_inputs = {unknown, other},
      .words = {"the product of all elements", "所有元素之积", "prod(x)", "prod"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnProdDim, self, integer("dim", -1), flag("keepDim"), into,
                           any_dtype(shaped(out("out"), {2}))),
      .domain = {.everywhere = kNumbers,
                 .arrange = reduce_shape,
                 .samples = {{{{"dim", -1.0}}},
                             {{{"dim", 1.0}, {"keepDim", 1.0}}},
                             {{{"dim", 0.0}, {"dtype", ACL_FLOAT}}}},
                 .value_samples = {{{{"self", Shape{9000, 2}}, {"dim", 0.0}}},
                                   {{{"self", Shape{3, 700}}, {"dim", 1.0}}}}},
      .results = results,
      .error_inputs = {unknown, other, bad_dim(2), bad_dim(-3)},
      .words = {"products along dim", "沿 dim 求积", "prod(x, dim, keepdim)", "prod_dim"},
  });
}

// ---- Sums of other kinds ------------------------------------------------------------------------

Arrays trace(const Arguments& a, const Arrays& in, bool magnitudes) {
  const Shape& shape = in[0].shape;
  Number sum = 0;
  for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i) {
    const Number x = in[0].values[static_cast<size_t>(i * shape[1] + i)];
    sum += magnitudes ? std::abs(x) : x;
  }
  return {{{}, {is_whole(a.dtype()) ? wrapped(sum, a.dtype()) : sum}}};
}

Arrays list_sum(const Arguments& a, const Arrays& in, bool magnitudes) {
  Array sum = dense::full(in[0].shape);
  for (const Array& each : in) {
    for (size_t i = 0; i < sum.values.size(); ++i) {
      sum.values[i] += magnitudes ? std::abs(each.values[i]) : each.values[i];
    }
  }
  return {
      dense::map(sum, [&](Number x) { return is_whole(a.dtype()) ? wrapped(x, a.dtype()) : x; })};
}

Results sums(Arrays (*of)(const Arguments&, const Arrays&, bool)) {
  return {.reference = [of](const Arguments& a, const Arrays& in) { return of(a, in, false); },
          .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 10},
          .magnitude = [of](const Arguments& a, const Arrays& in) { return of(a, in, true); }};
}

void add_other_sums(std::vector<Operator>& all) {
  const DTypes real =
      kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnTrace, any_dtype(any_shape(in("self"))), shaped(out("out"), {})),
      .domain = {.everywhere = real + DTypes{ACL_BOOL},
                 .base_shape = {kN, 3},
                 .arrange =
                     [](Arguments& a) {
                       if (a.shape("self").size() != 2) throw std::invalid_argument("no matrix");
                     },
                 .value_samples = {{{{"self", Shape{600, 700}}}}}},
      .results = sums(trace),
      .error_inputs = {refused("self", "of three dimensions", of_shape({2, 2, 2}), "[2, 2, 2]")},
      .words = {"the sum of a matrix's diagonal", "矩阵对角线之和", "trace(x)", "trace"},
  });
  all.back().results.nan_goes_through = false;  // beside the diagonal it is not looked at
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSum, member(in("tensors[0]"), "tensors"),
                           member(in("tensors[1]"), "tensors"), member(in("tensors[2]"), "tensors"),
                           out("out")),
      .domain = {.everywhere = real},
      .results = sums(list_sum),
      .words = {"the sum of the tensors of a list, element by element", "列表中各张量逐元素之和",
                "", "sum"},
  });
}

}  // namespace

void add_folds(std::vector<Operator>& all) {
  add_logical(all);
  add_products(all);
  add_other_sums(all);
}

}  // namespace aclgrad::contract
