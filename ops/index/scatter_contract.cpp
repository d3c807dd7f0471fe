// SPDX-License-Identifier: Apache-2.0
// Elements that replace, are added to or multiply those of their coordinates.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "ops/contract/dense.h"
#include "ops/index/index_contract.h"

namespace aclgrad::contract {
namespace {

// An index with 3 numbers along dim, in a src that is larger than it elsewhere.
void arrange_elements(Arguments& a) {
  Shape shape = a.shape(self_of(a));
  a.reshape({"out"}, shape);
  const size_t axis = checked_axis(a);
  limit(a.tensor("index"), -shape[axis], shape[axis] - 1);
  shape[axis] = 3;
  a.reshape({"src"}, shape);
  if (axis != 0) shape[0] = std::max<int64_t>(shape[0] - 1, 1);
  a.shape("index") = shape;
}

// As the last parameter but out says; ScatterAdd has none.
enum : int { kReplace, kAdd, kMultiply };
int reduction(const Arguments& a) {
  return a.has("reduce") ? static_cast<int>(a.number("reduce")) : kAdd;
}

// Inputs: self, index, and src but of a value.
Arrays scatter(const Arguments& a, const Arrays& in, bool magnitudes) {
  const size_t axis = checked_axis(a);
  const int reduce = reduction(a);
  const auto counted = [&](Number x) {
    return reduce != kReplace || magnitudes ? part(a, x, magnitudes) : x;
  };
  Array out = dense::map(in[0], counted);
  dense::generate(in[1].shape, [&](const Shape& at) {
    Shape to = at;
    to[axis] = from_front(dense::at(in[1], at), in[0].shape[axis]);
    Number& element = out.values[place_of(in[0].shape, to)];
    const Number term = counted(
        in.size() > 2 ? dense::at(in[2], at) : converted(a.number("value"), ACL_DOUBLE, a.dtype()));
    element = reduce == kAdd ? element + term : reduce == kMultiply ? element * term : term;
    return Number{0};
  });
  return {out};
}

TensorSpec index_of(Shape shape) { return {.shape = std::move(shape), .dtype = ACL_INT64}; }

// Of a src too, where there is one; `self` as it is called.
std::vector<ErrorInput> wrong_scatter(const char* self, bool has_src, bool has_out,
                                      bool has_reduce = true) {
  const auto all_of = [&](ErrorInput error_input, const TensorSpec& tensor) {
    error_input.changes.emplace_back(self, tensor);
    if (has_out) error_input.changes.emplace_back("out", tensor);
    return error_input;
  };
  const auto with_src = [&](ErrorInput error_input, const TensorSpec& src) {
    if (has_src) error_input.changes.emplace_back("src", src);
    return error_input;
  };
  ErrorInput of_rank_9{.what = "of rank 9",
                       .changes = {{self, of_shape(Shape(9, 1))}, {"index", index_of(Shape(9, 1))}},
                       .words = {"has 9"}};
  if (has_src) of_rank_9.changes.emplace_back("src", of_shape(Shape(9, 1)));
  if (has_out) of_rank_9.changes.emplace_back("out", of_shape(Shape(9, 1)));
  const ErrorInput of_complex{.what = "of COMPLEX64 beside reduce 1",
                              .changes = {{self, of_shape({2, 4})}, {"reduce", int64_t{1}}},
                              .words = {"COMPLEX64"},
                              .dtype = ACL_COMPLEX64};
  std::vector<ErrorInput> errors{
      wrong_dim(),
      with_src(refused("index", "that is larger than self", index_of({3, 3}), "[3, 3]"),
               of_shape({3, 3})),
      of_rank_9,
      all_of(refused("index", "without elements for it", index_of({2, 3}), "[2, 0]"),
             of_shape({2, 0}))};
  if (has_reduce) errors.push_back(of_complex);
  if (!has_src) return errors;
  errors.push_back(refused("index", "that is larger than src", index_of({2, 4}), "[2, 4]"));
  errors.push_back(refused("src", "of rank 1", of_shape({3}), "has 1"));
  return errors;
}

// Files are compiled together.
namespace reducing {

constexpr int kNone = 0, kSum = 1, kProduct = 2, kMax = 3, kMin = 4, kMean = 5;

// Of others than kNone. Inputs: selfRef, index, src.
Arrays scatter_reduce(const Arguments& a, const Arrays& in, bool magnitudes) {
  const size_t axis = checked_axis(a);
  const auto reduction = static_cast<int>(a.number("reduction"));
  const bool includes_self = a.number("includeSelf") != 0;
  const auto counted = [&](Number x) {
    return reduction != kNone || magnitudes ? part(a, x, magnitudes) : x;
  };
  Array out = dense::map(in[0], counted), terms = dense::full(in[0].shape);
  dense::generate(in[1].shape, [&](const Shape& at) {
    Shape to = at;
    to[axis] = from_front(dense::at(in[1], at), in[0].shape[axis]);
    const size_t place = place_of(in[0].shape, to);
    Number& element = out.values[place];
    const Number term = counted(dense::at(in[2], at));
    if (reduction == kNone || (!includes_self && terms.values[place] == 0)) {
      element = term;
    } else if (reduction == kSum || reduction == kMean) {
      element += term;
    } else if (reduction == kProduct) {
      element *= term;
    } else if (reduction == kMax || magnitudes) {
      element = std::max(element, term);
    } else {
      element = std::min(element, term);
    }
    ++terms.values[place];
    return Number{0};
  });
  for (size_t i = 0; reduction == kMean && i < out.values.size(); ++i) {
    if (terms.values[i] == 0) continue;
    out.values[i] /= terms.values[i] + (includes_self ? 1 : 0);
    if (is_whole(a.dtype())) out.values[i] = std::floor(out.values[i]);
  }
  return {out};
}

void add_reduction(std::vector<Operator>& all, Domain domain, const Parameter& self,
                   const Parameter& dim, const Parameter& index, const Parameter& src) {
  Parameter overwritten = self;
  overwritten.name = "selfRef";
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  domain.samples.clear();
  domain.value_samples.clear();
  for (const int each : {kNone, kSum, kProduct, kMax, kMin, kMean}) {
    domain.samples.push_back({{{"reduction", static_cast<double>(each)}, {"dim", 1.0}}});
    domain.samples.push_back(
        {{{"reduction", static_cast<double>(each)}, {"dim", 1.0}, {"includeSelf", 1.0}}});
    domain.value_samples.push_back(
        {{{"selfRef", Shape{70, 90}}, {"dim", 0.0}, {"reduction", static_cast<double>(each)}}});
  }
  domain.also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    if (a.number("reduction") == kNone) return false;
    const bool is_summed =
        dtype == ACL_BF16 || std::count(kSummed.begin(), kSummed.end(), dtype) > 0;
    return !is_summed || (dtype == ACL_BOOL && a.number("reduction") == kMean);
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceScatterReduce, overwritten, dim, index, src,
                           integer("reduction", kNone), flag("includeSelf")),
      .domain = domain,
      .results = summed(scatter_reduce),
      .error_inputs = wrong_scatter("selfRef", true, false, false) +
                      std::vector{wrong_number("reduction", 6, "[0, 5]"),
                                  ErrorInput{.what = "of COMPLEX64 beside reduction 1",
                                             .changes = {{"selfRef", of_shape({2, 4})},
                                                         {"reduction", int64_t{1}}},
                                             .words = {"COMPLEX64"},
                                             .dtype = ACL_COMPLEX64},
                                  ErrorInput{.what = "5 for BOOL",
                                             .changes = {{"reduction", int64_t{kMean}}},
                                             .words = {"BOOL"},
                                             .dtype = ACL_BOOL}},
      .words = {"elements reduced into the places of their coordinates", "按下标逐元素归约", "",
                "scatter_reduce"},
  });
}

}  // namespace reducing
}  // namespace

void add_scatter(std::vector<Operator>& all) {
  const Parameter self = any_shape(in("self")), dim = integer("dim", -1),
                  index = indices("index", {2, 3}), reduce = integer("reduce", 0),
                  result = any_shape(out("out"));
  all.push_back({
      .call = ACLGRAD_CALL(aclnnScatterAdd, self, dim, index, any_shape(shaped(in("src"), {2, 3})),
                           result),
      .domain = {.everywhere = kSummed,
                 .arrange = arrange_elements,
                 .samples = {{{{"dim", 0.0}}}, {{{"dim", 1.0}}}, {{{"dim", -1.0}}}},
                 .value_samples = {{{{"self", Shape{70, 90}}, {"dim", 0.0}}}}},
      .results = summed(scatter),
      .error_inputs = wrong_scatter("self", true, true, false),
      .words = {"elements added to those of their coordinates", "按下标逐元素累加",
                "scatter_add(x, dim, index, source)", "scatter_add"},
  });

  // Of small numbers, whose products every integer holds.
  const Parameter src = any_shape(shaped(in("src", -2, 2), {2, 3})), value = number("value", 2);
  Domain domain = all.back().domain;
  domain.everywhere = kNumbers + kUnsigned;
  domain.also_refuses = [](const Arguments& a, std::string_view, aclDataType dtype) {
    return reduction(a) != kReplace && dtype != ACL_BF16 &&
           std::count(kSummed.begin(), kSummed.end(), dtype) == 0;
  };
  for (const double each : {kAdd, kMultiply}) {
    domain.samples.push_back({{{"dim", 0.0}, {"reduce", each}}});
    domain.samples.push_back({{{"dim", -1.0}, {"reduce", each}}});
    domain.value_samples.push_back({{{"self", Shape{70, 90}}, {"dim", 0.0}, {"reduce", each}}});
  }
  const auto add = [&](Operator op, Signature in_place, bool has_src) {
    op.domain = domain;
    op.results = summed(scatter);
    const ErrorInput bad_reduce = wrong_number("reduce", 3, "[0, 2]");
    op.error_inputs = wrong_scatter("self", has_src, true) + std::vector{bad_reduce};
    all.push_back(op);
    all.push_back(in_place_of(op, std::move(in_place),
                              wrong_scatter("selfRef", has_src, false) + std::vector{bad_reduce}));
  };
  add({.call = ACLGRAD_CALL(aclnnScatter, self, dim, index, src, reduce, result),
       .words = {"elements in the places of their coordinates, or joined with what is there",
                 "按下标逐元素写入、累加或累乘", "scatter(x, dim, index, source)", "scatter"}},
      ACLGRAD_CALL(aclnnInplaceScatter), true);
  add({.call = ACLGRAD_CALL(aclnnScatterValue, self, dim, index, value, reduce, result),
       .words = {"one value in the places of coordinates, or joined with what is there",
                 "按下标写入、累加或累乘同一数值", "", "scatter_value"}},
      ACLGRAD_CALL(aclnnInplaceScatterValue), false);

  reducing::add_reduction(all, domain, self, dim, index, src);
}

}  // namespace aclgrad::contract
