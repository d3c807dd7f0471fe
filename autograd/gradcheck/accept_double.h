// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_AUTOGRAD_GRADCHECK_ACCEPT_DOUBLE_H_
#define ACLGRAD_AUTOGRAD_GRADCHECK_ACCEPT_DOUBLE_H_

#include <cstdint>

namespace aclgrad::detail {

/// Lets the operator library compute in float64 and, at the end, does what was done before. Throws
/// ValueError on a library that cannot.
class AcceptDouble {
 public:
  AcceptDouble();
  ~AcceptDouble();
  AcceptDouble(const AcceptDouble&) = delete;
  AcceptDouble& operator=(const AcceptDouble&) = delete;

 private:
  std::int32_t before_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_GRADCHECK_ACCEPT_DOUBLE_H_
