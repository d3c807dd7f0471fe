// SPDX-License-Identifier: Apache-2.0
// Random fills. Their values are not portable, their distribution is: what is known are limits, and
// moments within six standard errors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_uniform.h"
#include "ops/contract/text.h"
#include "ops/random/random_contract.h"

namespace aclgrad::contract {
namespace {

constexpr Number kStandardErrors = 6;

struct SampleMoments {
  Number mean = 0;
  Number stddev = 0;
  Number low = std::numeric_limits<Number>::infinity();
  Number high = -std::numeric_limits<Number>::infinity();
};

SampleMoments sample_moments_of(const Array& values) {
  SampleMoments found;
  const auto count = static_cast<Number>(values.values.size());
  for (const Number x : values.values) {
    found.mean += x / count;
    found.low = std::min(found.low, x);
    found.high = std::max(found.high, x);
  }
  Number variance = 0;
  for (const Number x : values.values) {
    variance += (x - found.mean) * (x - found.mean) / count;
  }
  found.stddev = std::sqrt(variance);
  return found;
}

// "" when the moments of floating values are what they should be.
std::string compare(const Array& values, Number mean, Number stddev, aclDataType dtype) {
  if (!is_float(dtype)) return "";
  const SampleMoments found = sample_moments_of(values);
  const auto count = static_cast<Number>(values.values.size());
  const Number rounding = unit_at(std::abs(mean) + stddev, dtype);
  // The variance of a squared distance from the mean is below 2 stddev^4 for both distributions.
  const Number mean_error = kStandardErrors * stddev / std::sqrt(count) + rounding;
  const Number stddev_error = kStandardErrors * stddev / std::sqrt(2 * count) + rounding;
  std::ostringstream text = plain_stream();
  if (!(std::abs(found.mean - mean) <= mean_error)) {
    text << "the mean of " << count << " values is " << found.mean << " instead of " << mean
         << " +- " << mean_error;
  } else if (!(std::abs(found.stddev - stddev) <= stddev_error)) {
    text << "the standard deviation of " << count << " values is " << found.stddev << " instead of "
         << stddev << " +- " << stddev_error;
  }
  return text.str();
}

std::string is_uniform(const Arguments& a, const Array& values) {
  const Number low = a.number("from");
  const Number high = a.number("to");
  const SampleMoments found = sample_moments_of(values);
  const bool whole = is_whole(a.dtype());
  const Number least = whole ? std::trunc(low) : low;
  if (found.low < least || found.high > high || (low < high && !whole && found.high == high)) {
    std::ostringstream text = plain_stream();
    text << "values reach from " << found.low << " to " << found.high << ", the interval is ["
         << low << ", " << high << ")";
    return text.str();
  }
  return compare(values, (low + high) / 2, (high - low) / std::sqrt(Number{12}), a.dtype());
}

std::string is_normal(const Arguments& a, const Array& values) {
  return compare(values, a.number("mean"), a.number("std"), a.dtype());
}

const Text kRandomBits = {"Philox 4x32-10: element i is a function of (seed, offset, i)",
                          "Philox 4x32-10，第 i 个元素由 (seed, offset, i) 决定"};
const DTypes kFilled = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,
                        ACL_INT16, ACL_INT32,   ACL_INT64,  ACL_UINT8};

Domain fills(DTypes everywhere, std::vector<Sample> samples) {
  return {.everywhere = std::move(everywhere),
          .base = "selfRef",
          .base_shape = {kN, 16, 48},
          .samples = std::move(samples)};
}

Parameter seed(const char* type) { return no_option(declared(integer("seed", 2026), type)); }
Parameter offset(const char* type, int64_t value = 8) {
  return no_option(declared(integer("offset", value), type));
}

// The right calls have no spread, so that all values are the centre.
Operator normal() {
  return {.call = ACLGRAD_CALL(aclnnInplaceNormal, any_shape(as_const(out("selfRef"))),
                               declared({"mean", 1.5}, "float"),
                               option(declared({"std", 0.0}, "float"), "stddev"), seed("int64_t"),
                               offset("int64_t")),
          .domain = fills(kFilled + DTypes{ACL_BOOL}, {{{{"mean", 0.0}, {"std", 1.0}}},
                                                       {{{"mean", -3.0}, {"std", 0.5}}},
                                                       {{{"mean", 1.5}, {"std", 0.0}}}}),
          .results = {.property = is_normal,
                      .complex = Complex::kParts,  // it knows BOOL
                      .value = 1.5},
          .error_inputs = {refused("std", "below 0", -0.5, "-0.5")},
          .words = {kRandomBits.english, kRandomBits.chinese,
                    "normal(graph, shape, mean, stddev, seed, offset)", "normal"}};
}

// The numbers of one mean and deviation, each a number or a tensor of equal ones.
void add_normal_out(std::vector<Operator>& all) {
  const Parameter mean = declared({"mean", 1.5}, "float");
  const Parameter stddev = option(declared({"std", 0.0}, "float"), "stddev");
  const Parameter means = any_dtype(shaped(filled(in("mean", 1.5, 1.5), 1.5), {1}));
  const auto deviations = [](double value) {
    return any_dtype(shaped(filled(in("std", value, value), value), {1}));
  };
  const Parameter result = any_dtype(out("out"));
  const ErrorInput below_0 = refused("std", "below 0", -0.5, "-0.5");
  const auto no_broadcast = [](const char* tensor) {
    return refused(tensor, "that does not broadcast", of_shape({3}), "[3]");
  };
  const auto add = [&](Signature call, std::vector<Sample> samples, Property property,
                       std::vector<ErrorInput> errors, Words words) {
    Domain domain = fills(kFloatsAndDouble, std::move(samples));
    domain.base = "out";
    // What broadcasts from one element leaves the result's shape free.
    domain.arrange = [](Arguments& a) {
      bool is_free = true;
      for (const Parameter& each : a.parameters()) {
        if (each.tensor() == nullptr || each.name == "out") continue;
        for (const int64_t size : a.shape(each.name)) is_free = is_free && size == 1;
      }
      a.tensor("out").any_shape = is_free;
    };
    all.push_back({.call = std::move(call),
                   .domain = std::move(domain),
                   .results = {.property = std::move(property), .value = 1.5},
                   .error_inputs = std::move(errors),
                   .words = std::move(words)});
  };
  add(ACLGRAD_CALL(aclnnNormalFloatFloat, mean, stddev, seed("int64_t"), offset("int64_t"), result),
      {{{{"mean", 0.0}, {"std", 1.0}}}, {{{"mean", -3.0}, {"std", 0.5}}}}, is_normal, {below_0},
      {kRandomBits.english, kRandomBits.chinese, "", "normal_out"});
  // Of one deviation: infinities that tests put among more would end the task.
  add(ACLGRAD_CALL(aclnnNormalFloatTensor, mean, deviations(0), seed("int64_t"), offset("int64_t"),
                   result),
      {{{{"mean", 0.0}, {"std", Shape{1, 1}}}}, {{{"mean", -3.0}, {"std", Shape{}}}}},
      [](const Arguments& a, const Array& values) {
        return compare(values, a.number("mean"), 0, a.dtype());
      },
      {no_broadcast("std")},
      {"the same with a tensor of deviations", "同上，标准差由张量给出", "", "normal_std"});
  add(ACLGRAD_CALL(aclnnNormalTensorFloat, means, stddev, seed("int64_t"), offset("int64_t"),
                   result),
      {{{{"std", 2.0}, {"mean", Shape{16, 1}}}}, {{{"std", 0.5}, {"mean", Shape{}}}}},
      [](const Arguments& a, const Array& values) {
        return compare(values, 1.5, a.number("std"), a.dtype());
      },
      {no_broadcast("mean"), below_0},
      {"the same with a tensor of means", "同上，均值由张量给出", "", "normal_mean"});
  add(ACLGRAD_CALL(aclnnNormalTensorTensor, means, deviations(0), seed("int64_t"),
                   offset("int64_t"), result),
      {{{{"std", Shape{}}, {"mean", Shape{16, 1}}}}},
      [](const Arguments& a, const Array& values) { return compare(values, 1.5, 0, a.dtype()); },
      {no_broadcast("mean"), no_broadcast("std")},
      {"the same with both in tensors", "同上，两者均由张量给出", "", "normal_tensors"});
}

Operator uniform() {
  return {.call = ACLGRAD_CALL(aclnnInplaceUniform, any_shape(as_const(out("selfRef"))),
                               option({"from", 2.25}, "low"), option({"to", 2.25}, "high"),
                               seed("uint64_t"), offset("uint64_t")),
          .domain = fills(kFilled, {{{{"from", 0.0}, {"to", 1.0}}},
                                    {{{"from", -2.0}, {"to", 5.0}}},
                                    {{{"from", 2.25}, {"to", 2.25}}}}),
          .results = {.property = is_uniform, .value = 2.25},
          .error_inputs = {refused("from", "above to", 3.5, "3.5")},
          .words = {kRandomBits.english, kRandomBits.chinese,
                    "uniform(graph, shape, low, high, seed, offset)", "uniform"}};
}

// The form with seed and offset in tensors, which are read when the work runs.
Operator with_tensors(const Operator& op, Signature call) {
  const std::vector<Parameter>& numbers = op.call.parameters;
  Operator form = op;
  form.call = std::move(call);
  form.call.parameters = {any_dtype(numbers[0]),
                          numbers[1],
                          numbers[2],
                          index_tensor("seedTensor", 2026),
                          index_tensor("offsetTensor", 8),
                          offset(numbers[4].type.c_str(), 3)};
  form.words = {"the numbers of `" + op.name() + "`, with seed and offset in INT64 tensors",
                "`" + op.name() + "` 的数，seed 与 offset 放在 INT64 张量里", "",
                op.words.check + "_tensor"};
  return form;
}

}  // namespace

FamilyContracts random_contracts() {
  const Operator with_numbers[] = {normal(), uniform()};
  FamilyContracts family{
      {"Random numbers", "随机数"},
      {with_numbers[0], with_tensors(with_numbers[0], ACLGRAD_CALL(aclnnInplaceNormalTensor)),
       with_numbers[1], with_tensors(with_numbers[1], ACLGRAD_CALL(aclnnInplaceUniformTensor))}};
  add_normal_out(family.operators);
  add_draws(family.operators);
  add_dropout(family.operators);
  return family;
}

}  // namespace aclgrad::contract
