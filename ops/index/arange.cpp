// SPDX-License-Identifier: Apache-2.0
// aclnnArange, aclnnRange, aclnnLinspace.
#include "aclnnop/aclnn_arange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_range.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/iterate.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::arange {
namespace {

enum : size_t { kStart, kEnd, kStep, kOut };

constexpr DtypeSet kDtypes{{ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE, ACL_INT64, ACL_INT32}, {ACL_BF16}};

// A scalar as a floating number or an integer, as out is one.
double value(const Arguments& arguments, size_t scalar) {
  if (is_floating(arguments.dtype(kOut))) return arguments.scalar(scalar).to_double();
  return static_cast<double>(arguments.scalar(scalar).to_int64());
}

Rule step_leads() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double start = value(arguments, kStart);
    const double end = value(arguments, kEnd);
    const double step = value(arguments, kStep);
    if (step > 0 ? start <= end : start >= end) return std::nullopt;
    return fmt::format("{} must lead from {} {} to {} {}, but is {}.", arguments.name(kStep),
                       arguments.name(kStart), start, arguments.name(kEnd), end, step);
  });
}

Rule are_finite() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    for (const size_t scalar : {kStart, kEnd, kStep}) {
      if (std::isfinite(arguments.scalar(scalar).to_double())) continue;
      return fmt::format("{} must be finite, but is {}.", arguments.name(scalar),
                         arguments.scalar(scalar).to_double());
    }
    return std::nullopt;
  });
}

Rule step_is_not_0() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double step = value(arguments, kStep);
    if (step < 0 || step > 0) return std::nullopt;
    return fmt::format("{} must not be 0 for an {} of {}, but is {}.", arguments.name(kStep),
                       arguments.name(kOut), dtype_name(arguments.dtype(kOut)), step);
  });
}

// Integers are counted exactly: a difference of two may need 65 bits, a count 64.
Rule has_count(bool with_end) {
  return require([with_end](const Arguments& arguments) -> std::optional<std::string> {
    double expected = 0;
    if (is_floating(arguments.dtype(kOut))) {
      const double steps =
          (value(arguments, kEnd) - value(arguments, kStart)) / value(arguments, kStep);
      expected = with_end ? std::floor(steps) + 1 : std::ceil(steps);
    } else {
      const int64_t start = arguments.scalar(kStart).to_int64();
      const int64_t end = arguments.scalar(kEnd).to_int64();
      const int64_t step = arguments.scalar(kStep).to_int64();
      const auto low = static_cast<uint64_t>(std::min(start, end));
      const uint64_t distance = static_cast<uint64_t>(std::max(start, end)) - low;
      const uint64_t by = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
      const bool has_more = with_end || distance % by != 0;
      expected = static_cast<double>(distance / by) + (has_more ? 1 : 0);
    }
    const int64_t count = count_elements(arguments.shape(kOut));
    if (static_cast<double>(count) == expected) return std::nullopt;
    return fmt::format("tensor {} must have {} elements for {} {}, {} {}, {} {}, but is {}.",
                       arguments.name(kOut), expected, arguments.name(kStart),
                       value(arguments, kStart), arguments.name(kEnd), value(arguments, kEnd),
                       arguments.name(kStep), value(arguments, kStep),
                       to_string(arguments.shape(kOut)));
  });
}

OperatorSpec spec(const char* name, const Rules& bounds, bool with_end) {
  return {name,
          {attribute("start"), attribute("end"), attribute("step"), output("out")},
          Rules{not_null({kStart, kEnd, kStep, kOut}),
                dtype_in({kStart, kEnd, kStep}, kRealNumbersAndBool), dtype_in(kOut, kDtypes),
                bounds, step_is_not_0(), step_leads(), has_count(with_end)}};
}

const OperatorSpec kArange = spec("aclnnArange", {}, false);
const OperatorSpec kRange = spec("aclnnRange", are_finite(), true);

// Element i, in a compute type.
template <class T, class Formula>
Plan plan_each(const Arguments& arguments, Formula formula) {
  constexpr auto kGrain = static_cast<int64_t>(32 * kBlock);
  return {[=, out = Elements(arguments, kOut)](const Run& run) -> aclError {
    parallel_pieces(out.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      T block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        for (int64_t i = first; i < stop; ++i) block[i - first] = formula(i);
        out.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

template <class T>
Plan plan_in(const Arguments& arguments, T start, T step) {
  return plan_each<T>(arguments, [=](int64_t i) { return start + static_cast<T>(i) * step; });
}

Plan plan_arange(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  if (arguments.dtype(kOut) == ACL_INT64) {
    return plan_in<int64_t>(arguments, arguments.scalar(kStart).to_int64(),
                            arguments.scalar(kStep).to_int64());
  }
  return plan_in<double>(arguments, value(arguments, kStart), value(arguments, kStep));
}

// ---- Linspace -----------------------------------------------------------------------------------

namespace linspace {

enum : size_t { kSteps = 2 };

Rule has_steps() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t steps = arguments.integer(kSteps);
    if (count_elements(arguments.shape(kOut)) == steps) return std::nullopt;
    return fmt::format("tensor {} must have as many elements as {}, {}, but is {}.",
                       arguments.name(kOut), arguments.name(kSteps), steps,
                       to_string(arguments.shape(kOut)));
  });
}

const OperatorSpec kSpec{
    "aclnnLinspace",
    {attribute("start"), attribute("end"), attribute("steps"), output("out")},
    Rules{not_null({kStart, kEnd, kOut}), dtype_in({kStart, kEnd}, kRealNumbersAndBool),
          dtype_in(kOut, kRealNumbers), max_rank(kOut), has_steps()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const double start = arguments.scalar(kStart).to_double();
  const double end = arguments.scalar(kEnd).to_double();
  const int64_t last = arguments.integer(kSteps) - 1;
  const double step = last == 0 ? 0 : (end - start) / static_cast<double>(last);
  // From both ends, which are exact so.
  return plan_each<double>(arguments, [=](int64_t i) {
    return 2 * i < last || last == 0 ? start + static_cast<double>(i) * step
                                     : end - static_cast<double>(last - i) * step;
  });
}

}  // namespace linspace
}  // namespace

ACLGRAD_OPERATOR(aclnnArange, kArange, plan_arange)
ACLGRAD_OPERATOR(aclnnRange, kRange, plan_arange)
ACLGRAD_OPERATOR(aclnnLinspace, linspace::kSpec, linspace::plan)

}  // namespace aclgrad::ops::arange
