// SPDX-License-Identifier: Apache-2.0
// What a function of the operator under test does instead of returning a result. Whoever calls one
// need not look: the failure leaves the check in which it happened, and becomes a finding there.
#ifndef ACLGRAD_AUTOGRAD_GRADCHECK_CORE_FAILURE_H_
#define ACLGRAD_AUTOGRAD_GRADCHECK_CORE_FAILURE_H_

#include <exception>
#include <optional>
#include <string>

#include "gradcheck/core/judge.h"

namespace aclgrad::gradcheck::detail {

class Failure : public std::exception {
 public:
  Failure(std::string text, std::string suspect)
      : text_(std::move(text)), suspect_(std::move(suspect)) {}

  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& suspect() const { return suspect_; }

 private:
  std::string text_;
  std::string suspect_;
};

/// The same operator, whose functions throw nothing but Failure: for what they throw, and for
/// results that are no results (a forward without outputs, fewer numbers than its shape says). The
/// backward returns what it threw as text, which begins with the number of the call.
Operator guarded(Operator op);

/// Does one of the checks; a failure in it is a finding. False where there was one.
template <class Check>
bool attempt(const Operator& op, DType dtype, Layout layout, Report& report, const Check& check) {
  try {
    check();
    return true;
  } catch (const Failure& failure) {
    Finding finding = finding_for(op, dtype, layout, "call");
    finding.text = failure.what();
    finding.suspect = failure.suspect();
    report.findings.push_back(std::move(finding));
    return false;
  }
}

}  // namespace aclgrad::gradcheck::detail

#endif  // ACLGRAD_AUTOGRAD_GRADCHECK_CORE_FAILURE_H_
