// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gradcheck/core/behaviour.h"
#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr std::int64_t kLarge = 20011;

// Repeats the elements of every array until there are `count` of them.
Arrays tiled(const Arrays& arrays, std::int64_t count) {
  Arrays result;
  for (const Array& array : arrays) {
    if (array.values.empty()) {
      result.push_back(array);
      continue;
    }
    Array& longer = result.emplace_back(Array{{count}, {}});
    for (std::int64_t i = 0; i < count; ++i) {
      longer.values.push_back(array.values[static_cast<std::size_t>(i) % array.values.size()]);
    }
  }
  return result;
}

// A tensor large enough for several threads, made of copies of a small one.
void check_large(const Candidate& candidate, DType dtype, const Options& options,
                 std::span<const Number> corners, Report& report) {
  constexpr std::int64_t kPeriod = 97;
  ++report.checks;
  const Candidate small = candidate.of_shape({kPeriod});
  const Problem problem = make_problem(small, dtype, options.seed * 1000, corners);
  const Execution expected = execute(small, problem, {});
  if (compare_all(small, problem, expected, unavoidable_rounding(small, problem), {}, options,
                  report) > 0) {
    return;
  }
  const Candidate large = candidate.of_shape({kLarge});
  const Arrays given = tiled(problem.given, kLarge);
  const Arrays inputs = tiled(problem.inputs, kLarge);
  for (const int threads : {1, 2}) {
    const Execution execution = execute(large, dtype, given, inputs, {.threads = threads});
    for (std::size_t k = 0; k < execution.bits.size(); ++k) {
      const std::vector<std::byte>& bits = execution.bits[k];
      const std::vector<std::byte>& wanted = expected.bits[k];
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] == wanted[i % wanted.size()]) continue;
        Finding finding = finding_for(large, dtype, Layout::contiguous, "position");
        finding.text = fmt::format(
            "in a tensor of {} elements, element {} has other bits than the same numbers have in a "
            "tensor of {}",
            kLarge, i / bytes_of(dtype), kPeriod);
        finding.diagnosis = "the backward: blocks, tails or threads";
        report.findings.push_back(std::move(finding));
        return;
      }
    }
  }
}

void check_shape(const Candidate& candidate, DType dtype, const Options& options,
                 std::span<const Number> corners, Report& report) {
  const Problem problem = make_problem(candidate, dtype, options.seed * 1000, corners);
  const Execution execution = execute(candidate, problem, {});
  ++report.configurations;
  ++report.checks;
  if (!execution.outside.empty()) {
    Finding finding = finding_for(candidate, dtype, Layout::contiguous, "shapes");
    finding.text =
        fmt::format("with shape {}: {}", dims_text(candidate.shape()), execution.outside);
    finding.diagnosis = "the backward: sizes it did not expect";
    report.findings.push_back(std::move(finding));
    return;
  }
  compare_all(candidate, problem, execution, unavoidable_rounding(candidate, problem), {}, options,
              report);
}

}  // namespace

void check_shapes(const Candidate& candidate, const Options& options,
                  std::span<const Number> corners, Report& report) {
  std::vector<Dims> shapes = {{1}, {2}, {3}, {5}, {7}, {8}, {15}, {17}, {33}, {67}, {3, 1, 5}};
  if (candidate.empty_and_scalar) {
    for (const Dims& shape : {Dims{}, Dims{0}, Dims{2, 0, 3}}) shapes.push_back(shape);
  }
  for (const DType dtype : options.dtypes) {
    for (const Dims& shape : shapes) {
      if (options.stop_at_first && report.verdict() == Verdict::wrong) return;
      const Candidate other = candidate.of_shape(shape);
      attempt(other, dtype, Layout::contiguous, report,
              [&] { check_shape(other, dtype, options, corners, report); });
    }
    const Candidate large = candidate.of_shape({kLarge});
    attempt(large, dtype, Layout::contiguous, report,
            [&] { check_large(candidate, dtype, options, corners, report); });
  }
}

}  // namespace aclgrad::gradcheck::detail
