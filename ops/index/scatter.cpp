// SPDX-License-Identifier: Apache-2.0
// aclnnScatterAdd, aclnnScatter, aclnnScatterValue, aclnnInplaceScatter, aclnnInplaceScatterValue.
#include "aclnnop/aclnn_scatter.h"

#include "aclnnop/aclnn_scatter_add.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/index/index_rules.h"
#include "ops/index/placed_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::scatter {
namespace {
namespace scatter {

enum : int64_t { kReplace, kAdd, kMultiply };

enum : size_t { kSelf, kDim, kIndex, kSource, kReduce };

// Parameters beside those that all forms have. Without reduce, elements are added.
struct Form {
  bool takes_value;  // a scalar in the place of src
  bool has_reduce = true;
  size_t out = kSelf;  // in place
};

int64_t reduction(const Arguments& arguments, const Form& form) {
  return form.has_reduce ? arguments.integer(kReduce) : kAdd;
}

StaticList<Parameter> parameters_of(const Form& form) {
  std::vector<Parameter> parameters{form.out == kSelf ? in_out("selfRef") : input("self"),
                                    attribute("dim"), input("index"),
                                    form.takes_value ? attribute("value") : input("src")};
  if (form.has_reduce) parameters.push_back(attribute("reduce"));
  if (form.out != kSelf) parameters.push_back(output("out"));
  return parameters;
}

StaticList<Rule> rules_of(const Form& form) {
  const auto computes = [=](const Arguments& arguments) {
    return reduction(arguments, form) != kReplace;
  };
  std::vector<Rule> rules{
      not_null({kSelf, kIndex, kSource, form.out}),
      form.has_reduce ? dtype_in(kSelf, kAllDtypes) : dtype_in(kSelf, kRealNumbersAndBool),
      dtype_in(kIndex, kIndexDtypes)};
  if (form.has_reduce) rules.push_back(when(computes, dtype_in(kSelf, kRealNumbersAndBool)));
  rules.push_back(form.takes_value ? real_beside_real(kSource, kSelf) : same_dtype(kSource, kSelf));
  if (form.out != kSelf) rules.push_back(same_dtype(form.out, kSelf));
  rules.insert(rules.end(), {max_rank(kSelf), index_has_rank_of(kIndex, kSelf)});
  if (!form.takes_value) rules.push_back(index_has_rank_of(kSource, kSelf));
  rules.push_back(axis_of(kDim, kSelf));
  if (!form.takes_value) rules.push_back(index_is_within(kIndex, kSource));
  rules.insert(rules.end(),
               {index_is_within(kIndex, kSelf, kDim), has_elements_along(kSelf, kDim, kIndex)});
  if (form.out != kSelf) rules.push_back(same_shape(form.out, kSelf));
  if (form.has_reduce) rules.push_back(integer_between(kReduce, kReplace, kMultiply));
  return rules;
}

OperatorSpec spec_of(const char* name, const Form& form) {
  return {name, parameters_of(form), rules_of(form)};
}

// Strides in row-major order; of a tensor without dimensions, as of one.
Dims steps_of(const Dims& shape, size_t count) {
  Dims steps = Dims::filled(count, 0);
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d]) {
    if (d < count) steps[d] = step;
  }
  return steps;
}

// Of src only what the index has a number for.
Slices terms_of(const Arguments& arguments) {
  const Dims& index = arguments.shape(kIndex);
  Dims strides = arguments.strides(kSource);
  if (strides.size() != index.size()) strides = Dims::filled(index.size(), 0);
  return slices_of(arguments, kSource, index, strides, {});
}

Plan plan_with(const Arguments& arguments, const Form& form, const Slices& terms) {
  const Dims& self = arguments.shape(kSelf);
  const Dims& index = arguments.shape(kIndex);
  const size_t along = normalize_axis(arguments.integer(kDim), self.size());
  Dims steps = steps_of(self, index.size());
  const int64_t step = along < steps.size() ? std::exchange(steps[along], 0) : 0;
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         self.empty() ? 1 : self[along], step);
  Places places = index_places(index, {number}, steps);
  const Slices before(arguments, kSelf, {}), out(arguments, form.out, {});
  if (reduction(arguments, form) == kReplace) {
    return plan_put(std::move(places), terms, out,
                    form.out == kSelf ? std::nullopt : std::optional(before));
  }
  return plan_placed_sum(std::move(places),
                         {.terms = terms,
                          .self = before,
                          .out = out,
                          .multiplies = reduction(arguments, form) == kMultiply});
}

Plan plan(const Arguments& arguments, const Form& form) {
  if (arguments.empty(form.out)) return {};
  if (!form.takes_value) return plan_with(arguments, form, terms_of(arguments));
  const ScalarSlices value(arguments, kSource, arguments.dtype(kSelf), arguments.shape(kIndex), {});
  return value.fill_in(plan_with(arguments, form, value.slices));
}

constexpr Form kAdding{.takes_value = false, .has_reduce = false, .out = 4};
constexpr Form kOfTensor{.takes_value = false, .out = 5};
constexpr Form kOfValue{.takes_value = true, .out = 5};
constexpr Form kInPlace{.takes_value = false};
constexpr Form kOfValueInPlace{.takes_value = true};

const OperatorSpec kScatterAdd = spec_of("aclnnScatterAdd", kAdding);
const OperatorSpec kScatter = spec_of("aclnnScatter", kOfTensor);
const OperatorSpec kScatterValue = spec_of("aclnnScatterValue", kOfValue);
const OperatorSpec kInplaceScatter = spec_of("aclnnInplaceScatter", kInPlace);
const OperatorSpec kInplaceScatterValue = spec_of("aclnnInplaceScatterValue", kOfValueInPlace);

}  // namespace scatter
}  // namespace

ACLGRAD_OPERATOR(aclnnScatterAdd, scatter::kScatterAdd, [](const Arguments& arguments) {
  return scatter::plan(arguments, scatter::kAdding);
})
ACLGRAD_OPERATOR(aclnnScatter, scatter::kScatter, [](const Arguments& arguments) {
  return scatter::plan(arguments, scatter::kOfTensor);
})
ACLGRAD_OPERATOR(aclnnScatterValue, scatter::kScatterValue, [](const Arguments& arguments) {
  return scatter::plan(arguments, scatter::kOfValue);
})
ACLGRAD_OPERATOR(aclnnInplaceScatter, scatter::kInplaceScatter, [](const Arguments& arguments) {
  return scatter::plan(arguments, scatter::kInPlace);
})
ACLGRAD_OPERATOR(aclnnInplaceScatterValue, scatter::kInplaceScatterValue,
                 [](const Arguments& arguments) {
                   return scatter::plan(arguments, scatter::kOfValueInPlace);
                 })

}  // namespace aclgrad::ops::scatter
