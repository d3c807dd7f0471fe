// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/gradcheck.h"

namespace aclgrad {
namespace {

const char* verdict(const GradcheckTensor& tensor) {
  if (tensor.failures > 0) return "WRONG";
  if (tensor.inconclusive > 0) return "inconclusive";
  return tensor.mistrusted() ? "mistrusted: all 0" : "ok";
}

}  // namespace

bool GradcheckReport::passed() const {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const GradcheckTensor& tensor) { return tensor.passed(); });
}

std::string GradcheckReport::to_string() const {
  std::int64_t elements = 0;
  std::int64_t failures = 0;
  std::int64_t inconclusive = 0;
  std::int64_t corners = 0;
  std::int64_t compared = 0;
  std::int64_t mistrusted = 0;
  for (const GradcheckTensor& tensor : tensors) {
    elements += options.projections > 0 ? tensor.compared : tensor.shape.numel();
    failures += tensor.failures;
    inconclusive += tensor.inconclusive;
    corners += tensor.corners;
    compared += tensor.compared;
    mistrusted += tensor.mistrusted() ? 1 : 0;
  }
  const char* unit = options.projections > 0 ? "directions" : "elements";
  std::string text = fmt::format(
      "gradcheck {}: {} of {} {} in {} tensors wrong, {} inconclusive, {} at corners; {} "
      "comparisons{}\n",
      passed()       ? "passed"
      : failures > 0 ? "FAILED"
                     : "inconclusive",
      failures, elements, unit, tensors.size(), inconclusive, corners, compared,
      mistrusted > 0 ? fmt::format("; {} tensors mistrusted", mistrusted) : "");
  text += fmt::format("  {:<20} {:<14} {:>10} {:>10} {:>10} {:>8} {:>12} {:>24} {:>24} {:>9} {}\n",
                      "tensor", "shape", "abs error", "rel error", "largest", "worst at", "input",
                      "analytic", "numeric", "+-", "verdict");
  for (const GradcheckTensor& tensor : tensors) {
    text += fmt::format(
        "  {:<20} {:<14} {:>10.2e} {:>10.2e} {:>10.2e} {:>8} {:>12.6g} {:>24.16g} {:>24.16g} "
        "{:>9.1e} {}\n",
        tensor.name, aclgrad::to_string(tensor.shape), tensor.max_abs_error, tensor.max_rel_error,
        tensor.max_gradient, tensor.worst_index, tensor.input, tensor.analytic, tensor.numeric,
        tensor.numeric_error, verdict(tensor));
    if (tensor.inconclusive > 0) text += fmt::format("      inconclusive: {}\n", tensor.reason);
  }
  if (options.projections > 0) {
    text += fmt::format(
        "  Only {} random directions a tensor were tried. A wrong gradient can hide when its error "
        "is\n  nearly at right angles to all of them, when it is smaller than the error estimate, "
        "or when it\n  appears for other inputs only; which element is wrong is not known.\n",
        options.projections);
  }
  return text;
}

}  // namespace aclgrad
