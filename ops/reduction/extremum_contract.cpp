// SPDX-License-Identifier: Apache-2.0
// The largest and the smallest, of all elements and over dimensions.
#include <algorithm>

#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "ops/reduction/reduction_contract.h"

namespace aclgrad::contract {
namespace {

using Of = Number (*)(const std::vector<Number>&);

const DTypes kReal =
    kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
const DTypes kRealAndBool = kReal + DTypes{ACL_BOOL};

Number largest(const std::vector<Number>& x) { return *std::ranges::max_element(x); }
Number smallest(const std::vector<Number>& x) { return *std::ranges::min_element(x); }
Number place_of_largest(const std::vector<Number>& x) {
  return static_cast<Number>(std::ranges::max_element(x) - x.begin());
}
Number place_of_smallest(const std::vector<Number>& x) {
  return static_cast<Number>(std::ranges::min_element(x) - x.begin());
}

std::vector<Sample> samples_along_dims() {
  return samples_of("dim", {-1, 0, 1}) + std::vector<Sample>{{{{"dim", 0.0}, {"keepdim", 1.0}}}};
}

Operator amax(Signature call, Of of, Words words) {
  return {
      .call = std::move(call),
      .domain = {.everywhere = kRealAndBool,
                 .arrange = reduce_shape,
                 .samples = {{{{"dim", Shape{}}}},
                             {{{"dim", Shape{0, -1}}}},
                             {{{"dim", Shape{1}}, {"keepDim", 1.0}}},
                             {{{"dim", Shape{2}}}}},
                 .value_samples = large_samples("dim")},
      .results = {.reference = [of](const Arguments& a,
                                    const Arrays& in) { return Arrays{reduced_by(a, in[0], of)}; },
                  .bound = kExact},
      .error_inputs =
          {{.what = "that have no elements",
            .changes = {{"dim", Shape{1}}, {"self", TensorSpec{{2, 0}}}, {"out", TensorSpec{{2}}}},
            .words = {"size 0"}}},
      .words = std::move(words)};
}

template <Of kOf, Of kPlaceOf>
Arrays value_and_place(const Arguments& a, const Arrays& in) {
  return {reduced_by(a, in[0], kOf), reduced_by(a, in[0], kPlaceOf)};
}

// Along dim, of dtypes that every product accepts.
Operator along_dim(Signature call, const DTypes& dtypes, Reference reference, Words words) {
  return {
      .call = std::move(call),
      .domain = {.everywhere = dtypes,
                 .arrange = reduce_shape,
                 .samples = samples_along_dims(),
                 .value_samples = {{{{"self", Shape{70000}}, {"dim", 0.0}}},
                                   {{{"self", Shape{3, 20001}}, {"dim", 1.0}}}}},
      .results = {.reference = std::move(reference), .bound = kExact, .nan_goes_through = false},
      .error_inputs = {bad_dim(2), bad_dim(-3)},
      .words = std::move(words)};
}

Operator place_along_dim(Signature call, Of place_of, Words words) {
  Operator op = along_dim(
      std::move(call), kReal,
      [place_of](const Arguments& a, const Arrays& in) {
        return Arrays{reduced_by(a, in[0], place_of)};
      },
      std::move(words));
  op.domain.samples.push_back({{{"dim", -2.0}, {"out", ACL_INT32}}});
  op.domain.value_samples.clear();
  return op;
}

// Those that need an element along dim.
Operator needs_elements(Operator op) {
  op.error_inputs.push_back({.what = "without elements along dim",
                             .changes = {{"self", TensorSpec{{2, 0}}}},
                             .words = {"size 0"}});
  return op;
}

// Of all elements.
Operator whole(Signature call, Of of, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kRealAndBool,
                     .arrange = [](Arguments& a) { a.tensor("self").any_shape = true; },
                     .value_samples = {{{{"self", Shape{9000}}}}, {{{"self", Shape{33, 65}}}}}},
          .results = {.reference =
                          [of](const Arguments&, const Arrays& in) {
                            return Arrays{{{}, {of(in[0].values)}}};
                          },
                      .bound = kExact},
          .error_inputs = {refused("self", "without an element", of_shape({2, 0}), "[2, 0]")},
          .words = std::move(words)};
}

}  // namespace

void add_extrema(std::vector<Operator>& all) {
  const Parameter self = in("self"), result = shaped(out("out"), {2});
  const Parameter dims = option(list("dim", {-1}), "dims");
  const Parameter keep_dim = option(flag("keepDim"), "keepDims");
  all.push_back(
      amax(ACLGRAD_CALL(aclnnAmax, self, dims, keep_dim, result), largest,
           {"the largest over dimensions; an empty list: over all; NaN if there is one",
            "沿若干维求最大值；列表为空表示全部；有 NaN 则为 NaN", "amax(x, axes, keep)", "amax"}));
  all.push_back(
      amax(ACLGRAD_CALL(aclnnAmin, self, dims, keep_dim, result), smallest,
           {"the smallest over dimensions; an empty list: over all; NaN if there is one",
            "沿若干维求最小值；列表为空表示全部；有 NaN 则为 NaN", "amin(x, axes, keep)", "amin"}));
  Operator both = amax(
      ACLGRAD_CALL(aclnnAminmax, self, dims, option(flag("keepdim"), "keepDims"),
                   shaped(out("min"), {2}), shaped(out("max"), {2})),
      smallest,
      {"the smallest and the largest over dimensions; an empty list: over all",
       "沿若干维同时求最小值与最大值；列表为空表示全部", "aminmax(x, axes, keepdim)", "aminmax"});
  both.domain.samples[2] = {{{"dim", Shape{1}}, {"keepdim", 1.0}}};
  both.results.reference = value_and_place<smallest, largest>;
  both.error_inputs[0].changes.back() = {"min", TensorSpec{{2}}};
  both.error_inputs[0].changes.push_back({"max", TensorSpec{{2}}});
  all.push_back(both);

  const Parameter one = shaped(out("out"), {});
  all.push_back(whole(ACLGRAD_CALL(aclnnMax, self, one), largest,
                      {"the largest of all elements; NaN if there is one",
                       "所有元素的最大值；有 NaN 则为 NaN", "max(x)", "max"}));
  all.push_back(whole(ACLGRAD_CALL(aclnnMin, self, one), smallest,
                      {"the smallest of all elements; NaN if there is one",
                       "所有元素的最小值；有 NaN 则为 NaN", "min(x)", "min"}));

  const Parameter dim = integer("dim", -1), keep = flag("keepdim");
  all.push_back(along_dim(
      ACLGRAD_CALL(aclnnMaxDim, self, dim, keep, result, index_result("indices")),
      kFloats + DTypes{ACL_INT64, ACL_INT32, ACL_BOOL}, value_and_place<largest, place_of_largest>,
      {"the largest along dim, or the first NaN, and the place of the first such element",
       "沿 dim 的最大值（或首个 NaN）及其首个位置", "max(x, dim, keep)", "max_dim"}));
  all.push_back(needs_elements(along_dim(
      ACLGRAD_CALL(aclnnMinDim, self, dim, keep, result, index_result("indices")), kRealAndBool,
      value_and_place<smallest, place_of_smallest>,
      {"the smallest along dim, or the first NaN, and the place of the first such element",
       "沿 dim 的最小值（或首个 NaN）及其首个位置", "min(x, dim, keepdim)", "min_dim"})));
  all.push_back(place_along_dim(
      ACLGRAD_CALL(aclnnArgMax, any_dtype(self), dim, keep, index_result("out")), place_of_largest,
      {"the place of the first largest element along dim, or of the first NaN",
       "沿 dim 的首个最大元素（或首个 NaN）的位置", "argmax(x, dim, keep)", "argmax"}));
  all.push_back(needs_elements(place_along_dim(
      ACLGRAD_CALL(aclnnArgMin, any_dtype(self), dim, keep, index_result("out")), place_of_smallest,
      {"the place of the first smallest element along dim, or of the first NaN",
       "沿 dim 的首个最小元素（或首个 NaN）的位置", "argmin(x, dim, keepdim)", "argmin"})));
}

}  // namespace aclgrad::contract
