// SPDX-License-Identifier: Apache-2.0
// Random fills. Their values are not portable, their distribution is: what is checked are limits,
// moments within six standard errors, and that the same seed gives the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "tool/catalogue.h"

namespace aclgrad::gradcheck::detail {
namespace {

const DTypes kReal = {DType::float32, DType::float16, DType::bfloat16, DType::float64, DType::int8,
                      DType::int16,   DType::int32,   DType::int64,    DType::uint8};
constexpr double kStandardErrors = 6;

struct Moments {
  double mean = 0;
  double deviation = 0;
  double low = 0;
  double high = 0;
};

Moments moments_of(const Array& values) {
  Moments found{.low = INFINITY, .high = -INFINITY};
  const auto count = static_cast<double>(values.values.size());
  for (const Number value : values.values) {
    const auto x = static_cast<double>(value);
    found.mean += x / count;
    found.low = std::min(found.low, x);
    found.high = std::max(found.high, x);
  }
  for (const Number value : values.values) {
    const double off = static_cast<double>(value) - found.mean;
    found.deviation += off * off / count;
  }
  found.deviation = std::sqrt(found.deviation);
  return found;
}

// "" when the moments of floating values are what they should be.
std::string compare(const Array& values, double mean, double deviation, DType dtype) {
  if (!is_float(dtype)) return "";
  const Moments found = moments_of(values);
  const auto count = static_cast<double>(values.values.size());
  const double rounding = static_cast<double>(ulp(std::abs(mean) + deviation, dtype));
  // The variance of a squared deviation is below 2 deviation^4 for both distributions.
  const double mean_error = kStandardErrors * deviation / std::sqrt(count) + rounding;
  const double deviation_error = kStandardErrors * deviation / std::sqrt(2 * count) + rounding;
  if (!(std::abs(found.mean - mean) <= mean_error)) {
    return fmt::format("the mean of {} values is {:.6g} instead of {:.6g} +- {:.2g}", count,
                       found.mean, mean, mean_error);
  }
  if (!(std::abs(found.deviation - deviation) <= deviation_error)) {
    return fmt::format("the standard deviation of {} values is {:.6g} instead of {:.6g} +- {:.2g}",
                       count, found.deviation, deviation, deviation_error);
  }
  return "";
}

Subject random(const std::string& api, const std::optional<Dims>& wanted, PlanFunction plan,
               std::vector<Refusal> refusals) {
  Subject s;
  s.forward = {
      .api = api,
      .tensors = {{.name = "selfRef", .shape = wanted.value_or(Dims{32, 48}), .free_shape = true}},
      .inputs = 0,
      .plan = std::move(plan),
      .highest_rank = 8,
      .refusals = std::move(refusals),
      .dtypes = kReal};
  s.checked.name = api;
  s.checked.inputs.clear();
  return s;
}

Subject uniform(const LibraryPointer& library, const Attributes& a,
                const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceUniformGetWorkspaceSize);
  const double low = a.low;
  const double high = a.high;
  const auto with = [=](double from, double to) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], from, to, 2026, 8, size, executor);
    };
  };
  Subject s = random("aclnnInplaceUniform", shape, with(low, high),
                     {{"from above to", 161002, with(1, 0)}});
  s.checked.attributes = fmt::format("from={} to={}", low, high);
  s.checked.reproduce = fmt::format("--low {} --high {}", low, high);
  s.property = [=](const Array& values, DType dtype) -> std::string {
    const Moments found = moments_of(values);
    const bool whole = !is_float(dtype);
    const double least = whole ? std::trunc(low) : low;
    if (found.low < least || found.high > high || (low < high && !whole && found.high == high)) {
      return fmt::format("values reach from {} to {}, the interval is [{}, {})", found.low,
                         found.high, low, high);
    }
    return compare(values, (low + high) / 2, (high - low) / std::sqrt(12.0), dtype);
  };
  return s;
}

Subject normal(const LibraryPointer& library, const Attributes& a,
               const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceNormalGetWorkspaceSize);
  const double mean = a.mean;
  const double deviation = a.deviation;
  const auto with = [=](double spread) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], static_cast<float>(mean), static_cast<float>(spread), 2026, 8, size,
                  executor);
    };
  };
  Subject s =
      random("aclnnInplaceNormal", shape, with(deviation), {{"std below 0", 161002, with(-1)}});
  s.forward.dtypes.push_back(DType::boolean);
  s.checked.attributes = fmt::format("mean={} std={}", mean, deviation);
  s.checked.reproduce = fmt::format("--mean {} --deviation {}", mean, deviation);
  s.property = [=](const Array& values, DType dtype) -> std::string {
    return compare(values, mean, deviation, dtype);
  };
  return s;
}

// The same with seed and offset in tensors, which are read when the work runs.
Subject from_tensors(Subject s, const std::string& api, PlanFunction plan,
                     std::vector<Refusal> refusals) {
  const auto number = [](const char* name) {
    return TensorArgument{.name = name, .shape = {1}, .dtype = DType::int64};
  };
  s.forward.api = api;
  s.forward.tensors.insert(s.forward.tensors.begin(),
                           {number("seedTensor"), number("offsetTensor")});
  s.forward.inputs = 2;
  s.forward.plan = std::move(plan);
  s.forward.refusals = std::move(refusals);
  s.checked.name = api;
  s.forward.tensors[2].free_dtype = true;
  s.checked.command_shape = s.forward.tensors[2].shape;
  s.checked.inputs = {
      Input{.name = "seed", .shape = {1}, .low = 2026, .high = 2026, .dtype = DType::int64},
      Input{.name = "offset", .shape = {1}, .low = 8, .high = 8, .dtype = DType::int64}};
  return s;
}

Subject uniform_tensor(const LibraryPointer& library, const Attributes& a,
                       const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceUniformTensorGetWorkspaceSize);
  const auto with = [=](double from, double to) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[2], from, to, t[0], t[1], 3, size, executor);
    };
  };
  return from_tensors(uniform(library, a, shape), "aclnnInplaceUniformTensor", with(a.low, a.high),
                      {{"from above to", 161002, with(1, 0)}});
}

Subject normal_tensor(const LibraryPointer& library, const Attributes& a,
                      const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnInplaceNormalTensorGetWorkspaceSize);
  const auto mean = static_cast<float>(a.mean);
  const auto with = [=](double spread) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[2], mean, static_cast<float>(spread), t[0], t[1], 3, size, executor);
    };
  };
  return from_tensors(normal(library, a, shape), "aclnnInplaceNormalTensor", with(a.deviation),
                      {{"std below 0", 161002, with(-1)}});
}

}  // namespace

std::vector<KnownOperator> random_operators() {
  const std::vector<std::string> interval = {"--low", "--high"};
  const std::vector<std::string> moments = {"--mean", "--deviation"};
  return {{"uniform", uniform, {{}, {.low = -2, .high = 5}, {.low = 2.25, .high = 2.25}}, interval},
          {"uniform_tensor", uniform_tensor, {{}, {.low = -2, .high = 5}}, interval},
          {"normal_tensor", normal_tensor, {{}, {.mean = -3, .deviation = 0.5}}, moments},
          {"normal",
           normal,
           {{}, {.mean = -3, .deviation = 0.5}, {.mean = 1.5, .deviation = 0}},
           moments}};
}

}  // namespace aclgrad::gradcheck::detail
