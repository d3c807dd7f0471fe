// SPDX-License-Identifier: Apache-2.0
// aclnnArange.
#include "aclnnop/aclnn_arange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

Rule step_is_not_0() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double step = value(arguments, kStep);
    if (step < 0 || step > 0) return std::nullopt;
    return fmt::format("{} must not be 0 for an {} of {}, but is {}.", arguments.name(kStep),
                       arguments.name(kOut), dtype_name(arguments.dtype(kOut)), step);
  });
}

// Integers are counted exactly: a difference of two may need 65 bits, a count 64.
Rule has_count() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    double expected = 0;
    if (is_floating(arguments.dtype(kOut))) {
      expected =
          std::ceil((value(arguments, kEnd) - value(arguments, kStart)) / value(arguments, kStep));
    } else {
      const int64_t start = arguments.scalar(kStart).to_int64();
      const int64_t end = arguments.scalar(kEnd).to_int64();
      const int64_t step = arguments.scalar(kStep).to_int64();
      const auto low = static_cast<uint64_t>(std::min(start, end));
      const uint64_t distance = static_cast<uint64_t>(std::max(start, end)) - low;
      const uint64_t by = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
      expected = static_cast<double>(distance / by + (distance % by == 0 ? 0 : 1));
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

const OperatorSpec kArange{
    "aclnnArange",
    {attribute("start"), attribute("end"), attribute("step"), output("out")},
    Rules{not_null({kStart, kEnd, kStep, kOut}),
          dtype_in({kStart, kEnd, kStep}, kRealNumbersAndBool), dtype_in(kOut, kDtypes),
          step_is_not_0(), step_leads(), has_count()}};

// In a compute type.
template <class T>
Plan plan_in(const Arguments& arguments, T start, T step) {
  constexpr auto kGrain = static_cast<int64_t>(32 * kBlock);
  return {[=, out = Elements(arguments, kOut)](const Run& run) -> aclError {
    parallel_pieces(out.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      T block[kBlock];
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        for (int64_t i = first; i < stop; ++i) block[i - first] = start + static_cast<T>(i) * step;
        out.write(run, block, first, stop);
      });
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_arange(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  if (arguments.dtype(kOut) == ACL_INT64) {
    return plan_in<int64_t>(arguments, arguments.scalar(kStart).to_int64(),
                            arguments.scalar(kStep).to_int64());
  }
  return plan_in<double>(arguments, value(arguments, kStart), value(arguments, kStep));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnArange, kArange, plan_arange)

}  // namespace aclgrad::ops::arange
