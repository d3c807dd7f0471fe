// SPDX-License-Identifier: Apache-2.0
// aclnnScatterAdd, aclnnScatter, aclnnScatterValue, in place, too, and aclnnInplaceScatterReduce.
#include "aclnnop/aclnn_scatter.h"

#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
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

// Where in self the elements of the index are.
Places places_of(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  const Dims& index = arguments.shape(kIndex);
  const size_t along = normalize_axis(arguments.integer(kDim), self.size());
  Dims steps = steps_of(self, index.size());
  const int64_t step = along < steps.size() ? std::exchange(steps[along], 0) : 0;
  const IndexTerm number(arguments, kIndex, Elements(arguments, kIndex),
                         self.empty() ? 1 : self[along], step);
  return index_places(index, {number}, steps);
}

Plan plan_with(const Arguments& arguments, const Form& form, const Slices& terms) {
  Places places = places_of(arguments);
  const Slices before(arguments, kSelf, {}), out(arguments, form.out, {});
  if (reduction(arguments, form) == kReplace) {
    return plan_put(std::move(places), terms, out,
                    form.out == kSelf ? std::nullopt : std::optional(before));
  }
  return plan_placed_sum(
      std::move(places),
      {.terms = terms,
       .self = before,
       .out = out,
       .join = reduction(arguments, form) == kMultiply ? Join::kProduct : Join::kSum});
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

// ---- Other reductions ---------------------------------------------------------------------------

namespace reduce {

enum : int64_t { kNone, kSum, kProduct, kMax, kMin, kMean };

enum : size_t { kReduction = 4, kIncludeSelf };

bool computes(const Arguments& arguments) { return arguments.integer(kReduction) != kNone; }

// A mean of truths is none.
Rule no_mean_of_bool() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.dtype(kSelf) != ACL_BOOL || arguments.integer(kReduction) != kMean) {
      return std::nullopt;
    }
    return std::string(arguments.name(kReduction)) + " must not be 5 for " + arguments.name(kSelf) +
           " of DT_BOOL.";
  });
}

const OperatorSpec kSpec{
    "aclnnInplaceScatterReduce",
    {in_out("selfRef"), attribute("dim"), input("index"), input("src"), attribute("reduction"),
     attribute("includeSelf")},
    Rules{not_null({kSelf, kIndex, kSource}), dtype_in(kSelf, kAllDtypes),
          dtype_in(kIndex, kIndexDtypes), when(computes, dtype_in(kSelf, kRealNumbersAndBool)),
          same_dtype(kSource, kSelf), max_rank(kSelf), index_has_rank_of(kIndex, kSelf),
          index_has_rank_of(kSource, kSelf), axis_of(kDim, kSelf), index_is_within(kIndex, kSource),
          index_is_within(kIndex, kSelf, kDim), has_elements_along(kSelf, kDim, kIndex),
          integer_between(kReduction, kNone, kMean), no_mean_of_bool()}};

Join join(int64_t reduction) {
  if (reduction == kProduct) return Join::kProduct;
  if (reduction == kMax) return Join::kMax;
  return reduction == kMin ? Join::kMin : Join::kSum;
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const Slices self(arguments, kSelf, {});
  if (!computes(arguments)) return plan_put(places_of(arguments), terms_of(arguments), self);
  const int64_t reduction = arguments.integer(kReduction);
  const bool includes_self = arguments.flag(kIncludeSelf);
  return plan_placed_sum(places_of(arguments), {.terms = terms_of(arguments),
                                                .self = self,
                                                .out = self,
                                                .is_mean = reduction == kMean,
                                                .join = join(reduction),
                                                .self_counts = includes_self,
                                                .self_gives_way = !includes_self});
}

}  // namespace reduce
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
ACLGRAD_OPERATOR(aclnnInplaceScatterReduce, scatter::reduce::kSpec, scatter::reduce::plan)

}  // namespace aclgrad::ops::scatter
