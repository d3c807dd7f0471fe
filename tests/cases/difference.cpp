// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

// Distance in ulp of the dtype, counted on the scale of `magnitude`; integers count by ones.
double error_of(long double actual, long double exact, long double magnitude, aclDataType dtype) {
  if (contract::is_float(dtype)) {
    const long double scale = std::max(std::abs(exact), std::abs(magnitude));
    if (std::isfinite(actual) && std::isfinite(exact)) {
      return static_cast<double>(std::abs(actual - exact) / testing::ulp_at(scale, dtype));
    }
    return testing::ulp_error(actual, exact, dtype);
  }
  return static_cast<double>(std::abs(actual - contract::rounded(exact, dtype)));
}

double largest_error(const contract::Bound& bound, aclDataType dtype) {
  if (!contract::is_float(dtype)) return 0;
  if (dtype == ACL_DOUBLE) return bound.of_double.value_or(bound.of_float);
  const bool small = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  return small ? std::min(bound.of_16_bits, bound.of_float) : bound.of_float;
}

}  // namespace

std::string difference(const Arguments& call, aclDataType dtype, const RunResult& run,
                       const contract::Bound& bound, double least_magnitude) {
  if (run.wrote_outside) return "memory outside the outputs was written";
  const Operator& op = call.op();
  if (op.results.property) return op.results.property(call.in(dtype), run.outputs[0]);
  const Arrays exact = contract::results_of(call.in(dtype), run.inputs);
  const Arrays scale = op.results.magnitude ? op.results.magnitude(call, run.inputs) : exact;
  const std::vector<const Parameter*> results = results_in(call);
  if (run.outputs.size() != results.size() || exact.size() < run.outputs.size()) {
    return fmt::format("{} outputs", run.outputs.size());
  }
  for (size_t k = 0; k < run.outputs.size(); ++k) {
    const std::vector<long double>& actual = run.outputs[k].values;
    if (exact[k].values.empty() && !actual.empty()) {
      if (!run.untouched[k]) return fmt::format("output {} was written", k);
      continue;
    }
    const aclDataType out_dtype = results[k]->tensor()->dtype.value_or(dtype);
    // A result of a size of its own may be smaller than the room for it.
    const size_t count = exact[k].values.size();
    const bool has_tail =
        count < actual.size() && count_of(exact[k].shape) < count_of(run.outputs[k].shape);
    if (has_tail &&
        !std::all_of(actual.begin() + static_cast<ptrdiff_t>(count), actual.end(),
                     [&](long double x) { return testing::same(x, untouched(out_dtype)); })) {
      return fmt::format("output {} was written behind its {} elements", k, count);
    }
    if (actual.size() != count && !has_tail) {
      return fmt::format("output {} has {} elements instead of {}", k, actual.size(), count);
    }
    for (size_t i = 0; i < count; ++i) {
      const double least = out_dtype == ACL_DOUBLE ? least_magnitude : 0;
      const long double on = std::max<long double>(std::abs(scale[k].values[i]), least);
      const double error = error_of(actual[i], exact[k].values[i], on, out_dtype);
      if (error <= largest_error(bound, out_dtype)) continue;
      return fmt::format("output {}, element {}: {} instead of {}, {} ulp", k, i,
                         static_cast<double>(actual[i]), static_cast<double>(exact[k].values[i]),
                         error);
    }
  }
  return "";
}

std::string difference(const Row& row, aclDataType dtype, const RunResult& run, int64_t size) {
  return difference(row.of_size(size), dtype, run, bound_of(row.arguments()),
                    row.op().results.least_magnitude_double);
}

}  // namespace aclgrad::cases
