// SPDX-License-Identifier: Apache-2.0
// What a function of a candidate or its contracts does instead of returning a result. Whoever calls
// one need not look: the failure leaves the check in which it happened, and becomes a finding
// there.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>

#include "gradcheck/core/compare.h"

namespace aclgrad::gradcheck::detail {

class Failure : public std::exception {
 public:
  Failure(std::string text, std::string diagnosis)
      : text_(std::move(text)), diagnosis_(std::move(diagnosis)) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& diagnosis() const { return diagnosis_; }

 private:
  std::string text_;
  std::string diagnosis_;
};

/// A copy of the candidate, whose function returns what it threw as text, which begins with the
/// number of the call; `refusal` and `rounding` throw nothing but Failure.
Candidate guarded(Candidate candidate);

/// Throws Failure for arrays that are none: fewer numbers than their shapes say. A result without
/// values, of which nothing is known, is one as well.
void require_arrays(const std::string& what, const Arrays& arrays);

/// What was thrown, inside a handler.
std::string thrown();

/// What a function of a contract or a candidate gives; it throws nothing but Failure.
template <class Function>
auto guard(const char* what, const Function& function) {
  try {
    auto result = function();
    if constexpr (std::is_same_v<decltype(result), Arrays>) require_arrays(what, result);
    return result;
  } catch (const Failure&) {
    throw;
  } catch (...) {
    throw Failure(std::string(what) + " failed: " + thrown(), what);
  }
}

/// Does one of the checks; a failure in it is a finding. False where there was one.
template <class Check>
bool attempt(const Candidate& candidate, DType dtype, Layout layout, Report& report,
             const Check& check) {
  try {
    check();
    return true;
  } catch (const Failure& failure) {
    Finding finding = finding_for(candidate, dtype, layout, "call");
    finding.text = failure.what();
    finding.diagnosis = failure.diagnosis();
    report.findings.push_back(std::move(finding));
    return false;
  }
}

}  // namespace aclgrad::gradcheck::detail
