// SPDX-License-Identifier: Apache-2.0
// Permission to compute in float64. The vendor's operators take float64 in few places; this
// project's take it wherever they take float32 while that is enabled. A session asks for that
// itself around every node with a float64 tensor, so programs need nothing of this.
#pragma once

namespace aclgrad::detail {

/// While at least one lives, in whatever thread, phase one takes float64 wherever it takes float32.
/// The last one restores what was set before the first.
class AcceptDouble {
 public:
  /// Throws ValueError on an operator library that cannot (the vendor's).
  AcceptDouble();
  ~AcceptDouble();
  AcceptDouble(const AcceptDouble&) = delete;
  AcceptDouble& operator=(const AcceptDouble&) = delete;

  /// Whether the operator library can.
  static bool is_available() noexcept;
};

}  // namespace aclgrad::detail
