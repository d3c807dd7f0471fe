// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gradcheck/core/behaviour.h"

namespace aclgrad::gradcheck::detail {
namespace {

// Repeats the elements of every array until there are `count` of them.
Arrays tiled(const Arrays& arrays, std::int64_t count) {
  Arrays result;
  for (const Array& array : arrays) {
    Array& longer = result.emplace_back(Array{{count}, {}});
    for (std::int64_t i = 0; i < count; ++i) {
      longer.values.push_back(array.values[static_cast<std::size_t>(i) % array.values.size()]);
    }
  }
  return result;
}

// A tensor large enough for several threads, made of copies of a small one.
void check_large(const Operator& op, DType dtype, const Options& options,
                 std::span<const Number> corners, Report& report) {
  constexpr std::int64_t kPeriod = 97;
  constexpr std::int64_t kCount = 20011;
  ++report.checks;
  const Operator small = op.with_shape({kPeriod});
  const Problem problem = make_problem(small, dtype, options.seed * 1000, corners);
  const Execution expected = execute(small, problem, {});
  const Operator large = op.with_shape({kCount});
  const Arrays given = tiled(problem.given, kCount);
  const Arrays inputs = tiled(problem.inputs, kCount);
  for (const int threads : {1, 2}) {
    const Execution execution = execute(large, dtype, given, inputs, {.threads = threads});
    if (!execution.failure.empty() || !expected.failure.empty()) return;
    for (std::size_t k = 0; k < execution.bits.size(); ++k) {
      const std::vector<std::byte>& bits = execution.bits[k];
      const std::vector<std::byte>& wanted = expected.bits[k];
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] == wanted[i % wanted.size()]) continue;
        Finding finding = finding_for(large, dtype, Layout::contiguous, "position");
        finding.text = fmt::format(
            "in a tensor of {} elements, element {} has other bits than the same numbers have in a "
            "tensor of {}",
            kCount, i / bytes_of(dtype), kPeriod);
        finding.suspect = "the backward: blocks, tails or threads";
        report.findings.push_back(std::move(finding));
        return;
      }
    }
  }
}

}  // namespace

void check_shapes(const Operator& op, const Options& options, std::span<const Number> corners,
                  Report& report) {
  std::vector<Dims> shapes = {{1}, {2}, {3}, {5}, {7}, {8}, {15}, {17}, {33}, {67}, {3, 1, 5}};
  if (op.empty_and_scalar) {
    for (const Dims& shape : {Dims{}, Dims{0}, Dims{2, 0, 3}}) shapes.push_back(shape);
  }
  for (const DType dtype : options.dtypes) {
    for (const Dims& shape : shapes) {
      if (options.stop_at_first && report.verdict() == Verdict::wrong) return;
      const Operator other = op.with_shape(shape);
      const Problem problem = make_problem(other, dtype, options.seed * 1000, corners);
      const Execution execution = execute(other, problem, {});
      ++report.configurations;
      ++report.checks;
      std::string text = execution.failure;
      if (text.empty()) text = execution.outside;
      if (!text.empty()) {
        Finding finding = finding_for(other, dtype, Layout::contiguous, "shapes");
        finding.text = fmt::format("with shape {}: {}", dims_text(shape), text);
        finding.suspect = "the backward: sizes it did not expect";
        report.findings.push_back(std::move(finding));
        continue;
      }
      judge_all(other, problem, execution, unavoidable_rounding(other, problem), {}, options,
                report);
    }
    check_large(op, dtype, options, corners, report);
  }
}

}  // namespace aclgrad::gradcheck::detail
